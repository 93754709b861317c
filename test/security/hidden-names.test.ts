/** Limits, mutes, saved filters and views of what a user does not see: not listed, not changed, and not told by an error. */

import { describe, expect, test } from "bun:test";
import { filterIn } from "../../src/publishing/filters/list-addresses.ts";
import type { Fields } from "../support/client.ts";
import { admin, app, appOfEachTest, user } from "../support/each-test.ts";
import { notifying } from "../support/rules.ts";
import { expectRefusal } from "../support/stored.ts";

const [RACK, SECRET] = [1, 2];
const VALUE = { statistics: [1], warning: 90 };

appOfEachTest(async () => {
  const services = [{ name: "web" }];
  await app.report({ id: "a", hostname: "host-1", hostGroups: ["rack"], services });
  await app.report({
    id: "b",
    hostname: "db-secret",
    hostGroups: ["secret"],
    services: [{ name: "oracle" }],
  });
  await admin.post("/api/1/admin/tags/add", { hosts: [2], tags: ["project=secret"] });
  await admin.post("/api/1/admin/grants/set", { uname: "user", manage: RACK, restricted: true });
});

const limit = (fields: Fields) => admin.post("/api/1/limits/create", { ...VALUE, ...fields });
const listed = async (path: string) =>
  (await user.get(`/api/1${path}`)).json.records.map(
    ({ name, note }: Record<string, string>) => name ?? note,
  );

describe("a limit", () => {
  test("is listed as far as it names what the user sees", async () => {
    await limit({ name: "group", filter: { hostgroups: [SECRET] } });
    await limit({ name: "groups", filter: { hostgroups: [RACK, SECRET] } });
    await limit({
      name: "patterns",
      filter: { hostnames: ["HOST-*", "db-secret"], servicenames: ["web", "oracle"] },
    });
    await limit({ name: "pattern", filter: { hostnames: ["db-*"] } });
    await limit({ name: "service", filter: { servicenames: ["oracle"] } });
    await limit({ name: "tag", filter: { tags: ["project=secret"] } });
    await limit({ name: "all" });
    const { records, totalRecords } = (await user.get("/api/1/limits/list")).json;
    expect(totalRecords).toBe(3);
    expect(records.map(({ name, filter }: { name: string; filter: unknown }) => [name, filter])).toEqual([
      ["groups", { hostgroups: [RACK] }],
      ["patterns", { hostnames: ["HOST-*"], servicenames: ["web"] }],
      ["all", {}],
    ]);
    expect((await admin.get("/api/1/limits/list")).json.totalRecords).toBe(7);
  });

  test("of groups that the user manages is shown as it is written, also names of hosts to come", async () => {
    await limit({ name: "own", filter: { hostgroups: [RACK], hostnames: ["new-*"], tags: ["new"] } });
    expect((await user.get("/api/1/limits/get", { id: 1 })).json.filter).toEqual({
      hostgroups: [RACK],
      tags: ["new"],
      hostnames: ["new-*"],
    });
  });

  test("with a descriptor that only hidden hosts have is hidden", async () => {
    await limit({ name: "port", statistics: [18], descriptor: "db-secret:80" });
    expect(await listed("/limits/list")).toEqual([]);
  });

  test("that is hidden does not exist for changes, previews and reads either", async () => {
    await limit({ name: "group", filter: { hostgroups: [SECRET] } });
    await limit({ name: "pattern", filter: { hostnames: ["db-secret"] } });
    await limit({ name: "all" });
    for (const [id, status, code] of [
      [1, 404, "object.unknown"],
      [2, 404, "object.unknown"],
      [3, 403, "role.level"],
    ] as const)
      for (const path of ["update", "delete", "preview"])
        await expectRefusal(app, () => user.post(`/api/1/limits/${path}`, { id }), status, code);
    expect((await user.get("/api/1/limits/get", { id: 2 })).status).toBe(404);
    expect((await user.get("/api/1/limits/get", { id: 3 })).status).toBe(200);
  });

  test("does not tell by an error which hidden host its filter has", async () => {
    await limit({ name: "both", filter: { hostgroups: [RACK], hosts: [1, 2] } });
    const update = (hosts: number[]) => () =>
      user.post("/api/1/limits/update", { id: 1, filter: { hostgroups: [RACK], hosts } });
    const named = await expectRefusal(app, update([2]), 400, "argument.invalid");
    const unknown = await expectRefusal(app, update([99]), 400, "argument.invalid");
    expect(named.json.error.replace("2", "99")).toBe(unknown.json.error);
    expect((await user.post("/api/1/limits/update", { id: 1, warning: 80 })).status).toBe(200);
    expect(app.rows("select filter from limits")).toEqual([{ filter: '{"hosts":[1,2],"hostgroups":[1]}' }]);
  });
});

test("mutes of hidden names and of rules about hidden groups are not listed, and not ended", async () => {
  await admin.post("/api/1/admin/channels/create", {
    name: "c",
    kind: "webhook",
    settings: { url: "https://h.test/" },
  });
  for (const hostgroupid of [RACK, SECRET])
    await admin.post("/api/1/admin/rules/create", {
      name: `r${hostgroupid}`,
      filter: { hostgroups: [hostgroupid] },
      ...notifying(1),
    });
  for (const filter of [
    { servicenames: ["oracle"] },
    { tags: ["project"] },
    { rules: [2] },
    { rules: [1, 2] },
  ])
    await admin.post("/api/1/mutes/create", { filter, minutes: 5, note: JSON.stringify(filter) });
  const { records } = (await user.get("/api/1/mutes/list")).json;
  expect(records.map(({ id, filter }: { id: number; filter: unknown }) => [id, filter])).toEqual([
    [4, { rules: [1] }],
  ]);
  for (const id of [1, 2, 3])
    await expectRefusal(app, () => user.post("/api/1/mutes/delete", { id }), 404, "object.unknown");
  const ofRule = (ruleid: number) => () =>
    user.post("/api/1/mutes/create", { filter: { hostgroups: [RACK], rules: [ruleid] }, minutes: 5 });
  const hidden = await expectRefusal(app, ofRule(2), 400, "argument.invalid");
  const unknown = await expectRefusal(app, ofRule(9), 400, "argument.invalid");
  expect(hidden.json.error.replace("2", "9")).toBe(unknown.json.error);
});

test("saved filters are listed if all that they name is visible", async () => {
  const nameId = (name: string) =>
    app.rows<{ id: number }>(`select id from names where name = '${name}'`)[0]?.id;
  const queries = {
    hosts: [
      "led=0",
      "group=1",
      "group=2",
      "text=host+1",
      "text=host",
      "text=db-secret",
      "text=rack+web+available",
      "text=oracle",
      "tag=project",
    ],
    events: [`servicenameid=${nameId("web")}`, `servicenameid=${nameId("oracle")}`, "hostid=1", "hostid=2"],
  };
  for (const screen of ["hosts", "events"] as const)
    for (const query of queries[screen]) {
      const filter = filterIn(screen, new URLSearchParams(query));
      await admin.post("/api/1/filters/create", { name: `${screen} ${query}`, filter });
    }
  expect(await listed("/filters/list")).toEqual([
    "events hostid=1",
    `events servicenameid=${nameId("web")}`,
    "hosts group=1",
    "hosts led=0",
    "hosts text=host",
    "hosts text=host+1",
    "hosts text=rack+web+available",
  ]);
  expect((await admin.get("/api/1/filters/list")).json.totalRecords).toBe(13);
});

test("saved views are listed without hidden hosts, and not at all if they are about these", async () => {
  for (const [name, fields] of Object.entries({
    group: { hostgroup: SECRET },
    host: { hosts: [2] },
    hosts: { hosts: [1, 2] },
    descriptor: { descriptor: "/secret" },
  }))
    await admin.post("/api/1/views/create", { name, statistics: [18], ...fields });
  const { records } = (await user.get("/api/1/views/list")).json;
  expect(records.map(({ name, hosts }: { name: string; hosts: number[] }) => [name, hosts])).toEqual([
    ["hosts", [1]],
  ]);
});
