import { beforeEach, describe, expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const ADD = "/api/1/admin/tags/add";
const REMOVE = "/api/1/admin/tags/remove";
const LIST = "/api/1/status/tags/list";
const UPDATE = "/api/1/admin/hosts/update";

/** Hosts 1 "web" (env=prod, role=web), 2 "db" (env=stage, role=db), 3 "mail" (critical, env=prod). */
appOfEachTest(async () => {
  for (const hostname of ["web", "db", "mail"]) await app.report({ id: `a-${hostname}`, hostname });
  await admin.post(ADD, { tags: ["env=prod"], hosts: [1, 3] });
  await admin.post(ADD, { tags: ["env=stage", "role=db"], hosts: [2] });
  await admin.post(ADD, { tags: ["role=web"], hosts: [1] });
  await admin.post(ADD, { tags: ["critical"], hosts: [3] });
});

const tags = () => app.rows("select host_id, name, value from host_tags order by 1, 2, 3");
const settings = (fields: Fields) =>
  admin.post(UPDATE, { id: 1, hostname: "web", agentuser: "", agentpassword: "", ...fields });
const tagsOf = async (id: number) => (await admin.get("/api/1/admin/hosts/get", { id })).json.tags;

for (const path of [ADD, REMOVE])
  test(`${path} needs known hosts and right tags`, async () => {
    for (const tag of ["", "a=b=c", "a,b", "=x", "x".repeat(65)]) {
      const reply = await expectRefusal(
        app,
        () => admin.post(path, { hosts: [1], tags: [tag] }),
        400,
        "argument.invalid",
      );
      expect(reply.json.error).toStartWith("tag");
    }
    await expectRefusal(app, () => admin.post(path, { tags: ["x"], hosts: [1, 9] }), 400, "argument.invalid");
  });

test("tags are added to hosts, each once, as they are stored", async () => {
  const before = stored(app);
  const reply = await admin.post(ADD, { tags: [" Site=Oslo ", "site=oslo", "env=prod"], hosts: [1, 2] });
  expect([reply.status, reply.json]).toEqual([200, { added: 3 }]);
  expect(changedTables(app, before)).toEqual(["host_tags"]);
  expect(await tagsOf(1)).toEqual(["env=prod", "role=web", "site=oslo"]);
  expect(await tagsOf(2)).toEqual(["env=prod", "env=stage", "role=db", "site=oslo"]);
});

test("tags are removed from the hosts that have them", async () => {
  const reply = await admin.post(REMOVE, { tags: ["env=prod", "role"], hosts: [1, 2] });
  expect([reply.status, reply.json]).toEqual([200, { removed: 1 }]);
  expect([await tagsOf(1), await tagsOf(2)]).toEqual([["role=web"], ["env=stage", "role=db"]]);
});

test("a host has at most 50 tags, and a request that would give one more changes nothing", async () => {
  const many = Array.from({ length: 48 }, (_, i) => `n=${i}`);
  expect((await admin.post(ADD, { tags: many, hosts: [1] })).json).toEqual({ added: 48 });
  await expectRefusal(app, () => admin.post(ADD, { tags: ["more"], hosts: [2, 1] }), 409, "tags.many");
});

test("an update of a host replaces its tags, keeps them, or removes them", async () => {
  await settings({});
  expect(await tagsOf(1)).toEqual(["env=prod", "role=web"]);
  await settings({ tag: ["Role=Proxy", "env=prod"] });
  expect(await tagsOf(1)).toEqual(["env=prod", "role=proxy"]);
  await expectRefusal(app, () => settings({ tag: ["fine", "not fine,"] }), 400, "argument.invalid");
  await settings({ tag: "" });
  expect(await tagsOf(1)).toEqual([]);
  expect(tags()).toHaveLength(4);
});

test("the audit log tells which tags were given and what an update changed", async () => {
  await settings({ tag: "new" });
  const rows = app.rows<{ operation: string; details: string }>(
    "select operation, details from audit where subject in ('tags', 'host') order by id desc limit 2",
  );
  expect(rows.map(({ operation }) => operation)).toEqual(["admin/hosts/update", "admin/tags/add"]);
  expect(JSON.parse(rows[1]?.details ?? "")).toEqual({ tags: ["critical"], hosts: [3], added: 1 });
  expect(rows[0]?.details).toContain("new");
});

test("an update that leaves the tags as they are does not name them in the audit log", async () => {
  await settings({ tag: ["env=prod", "role=web"], skew: 7 });
  const [entry] = app.rows<{ details: string }>("select details from audit order by id desc limit 1");
  const changes = JSON.parse(entry?.details ?? "");
  expect([changes.skew, changes.tags]).toEqual([[3, 7], undefined]);
});

test("a deleted host takes its tags along", async () => {
  await admin.post("/api/1/admin/hosts/delete", { id: 3 });
  expect(tags().map((row) => row.host_id)).toEqual([1, 1, 2, 2]);
});

test("every user sees the tags in use with their hosts, and finds some by a part", async () => {
  expect((await user.get(LIST)).json).toEqual({
    totalRecords: 5,
    records: [
      { tag: "critical", hosts: 1 },
      { tag: "env=prod", hosts: 2 },
      { tag: "env=stage", hosts: 1 },
      { tag: "role=db", hosts: 1 },
      { tag: "role=web", hosts: 1 },
    ],
  });
  expect((await user.get(LIST, { pattern: "OLE=d" })).json.records).toEqual([{ tag: "role=db", hosts: 1 }]);
  expect((await user.get(LIST, { pattern: "%" })).json.totalRecords).toBe(0);
});

describe("the list of hosts", () => {
  const names = async (args: Fields) => {
    const { json } = await user.get("/api/1/status/hosts/list", args);
    expect(json.totalRecords).toBe(json.records.length);
    return json.records.map(({ hostname }: { hostname: string }) => hostname);
  };

  test("shows tags, and is filtered by them alone and beside other filters", async () => {
    expect(await names({ tag: "ENV=prod" })).toEqual(["mail", "web"]);
    expect(await names({ tag: ["env=prod", "env=stage"] })).toEqual(["db", "mail", "web"]);
    expect(await names({ tag: ["env=prod", "role"] })).toEqual(["web"]);
    expect(await names({ tag: "env", hostpattern: "b" })).toEqual(["db", "web"]);
    expect(await names({ tag: "none" })).toEqual([]);
    const { json } = await user.get("/api/1/status/hosts/list", { hostid: [2, 3] });
    expect(json.records.map(({ tags }: { tags: string[] }) => tags)).toEqual([
      ["env=stage", "role=db"],
      ["critical", "env=prod"],
    ]);
  });

  test("tells the tags of one host in its status too", async () => {
    const { json } = await user.get("/api/1/status/hosts/get", { id: 3 });
    expect(json.records.host.tags).toEqual(["critical", "env=prod"]);
  });
});

describe("the list of events", () => {
  const LISTED = "/api/1/reports/events/list";
  const hosts = async (args: Fields) => {
    const { json } = await user.get(LISTED, { sort: "hostname", dir: "asc", ...args });
    expect(json.totalRecords).toBe(json.records.length);
    return json.records.map(({ hostname }: { hostname: string }) => hostname);
  };

  beforeEach(async () => {
    for (const hostname of ["web", "db", "mail"])
      await app.report({
        id: `a-${hostname}`,
        hostname,
        services: [{ name: "cron", type: 3, status: 512 }],
        event: { service: "cron" },
      });
    await admin.post("/api/1/admin/groups/create", { name: "rack" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [1, 2] });
  });

  test("is filtered by tags alone and beside every other filter", async () => {
    expect(await hosts({ tag: "env=prod" })).toEqual(["mail", "web"]);
    expect(await hosts({ tag: ["env=prod", "role"] })).toEqual(["web"]);
    expect(await hosts({ tag: "env", hostgroupid: 1 })).toEqual(["db", "web"]);
    expect(await hosts({ tag: "env=prod", hostid: [2, 3] })).toEqual(["mail"]);
    expect(await hosts({ tag: "env=prod", active: 1 })).toEqual(["mail", "web"]);
    const cron = (await user.get(LISTED, { results: 1 })).json.records[0].servicenameid;
    expect(await hosts({ tag: "env=prod", servicenameid: cron })).toEqual(["mail", "web"]);
    expect(await hosts({ tag: "env=prod", servicenameid: cron, hostgroupid: 1 })).toEqual(["web"]);
    expect(await hosts({ tag: "env=prod", text: "web" })).toEqual(["web"]);
    expect(await hosts({ tag: "env=prod", datefrom: app.clock.now() + 1 })).toEqual([]);
    expect(await hosts({ tag: "env=prod", maxid: 2 })).toEqual(["web"]);
    for (const sort of ["date", "servicename", "event", "note"])
      expect((await hosts({ tag: "env=stage", sort })).toString()).toBe("db");
  });
});

test("the report of uptime is of the hosts with the tags, in JSON and CSV", async () => {
  const names = async (args: Fields) =>
    (await user.get("/api/1/reports/uptime/list", args)).json.items.map(({ name }: { name: string }) => name);
  expect(await names({ tag: "env=prod" })).toEqual(["mail", "web"]);
  expect(await names({ tag: ["env", "role"] })).toEqual(["db", "web"]);
  expect((await user.get("/api/1/reports/uptime/list", { tag: "critical", format: "csv" })).text).toMatch(
    /^[^\n]*\n3,mail,[^\n]*\n$/,
  );
});
