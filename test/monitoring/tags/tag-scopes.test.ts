/** Rules, their preview, maintenance and mutes that name tags. */

import { beforeEach, describe, expect, test } from "bun:test";
import { Alerting } from "../../alerting/notifications/support.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";

const MINUTE = 60;
let alerting: Alerting;

/** Hosts 1 (env=prod, role=web) and 2 (env=test), and channel 1. */
beforeEach(async () => {
  alerting = await Alerting.create();
  alerting.channel("mail");
  await alerting.report();
  await alerting.report({ id: "agent-2", hostname: "host-2" });
  await alerting.call("admin/tags/add", { tags: ["env=prod", "role=web"], hosts: [1] });
  await alerting.call("admin/tags/add", { tags: ["env=test"], hosts: [2] });
});

const HOSTS = [
  { id: "agent-1", hostname: "host-1" },
  { id: "agent-2", hostname: "host-2" },
];
/** A failure of the service "web" on both hosts. */
async function bothFail(): Promise<void> {
  const services = [{ name: "web", type: 3, status: 512 }];
  for (const host of HOSTS) await alerting.report({ ...host, services, event: { service: "web" } });
}
const alerted = () =>
  alerting.app.rows<{ host_id: number }>("select host_id from alerts order by id").map((row) => row.host_id);

describe("a rule", () => {
  test("of a tag matches events of hosts that have it, and its preview says the same", async () => {
    await alerting.call("admin/rules/create", {
      name: "web",
      filter: { tags: ["ENV=prod", "role"] },
      ...notifying(1),
    });
    await bothFail();
    expect(alerted()).toEqual([1]);
    const preview = async (tags: string[]) => {
      const rule = { name: "new", filter: { tags }, ...notifying(1) };
      return (await alerting.admin.post("/api/1/admin/rules/preview", { rule })).json.matched;
    };
    expect(await preview(["env=prod", "role"])).toBe(1);
    expect(await preview(["env"])).toBe(2);
    expect(await preview(["env=prod", "env=test"])).toBe(2);
    expect(await preview(["env=prod", "rack"])).toBe(0);
  });

  test("shows its tags, keeps them in an update that does not name them, and gives them up", async () => {
    await alerting.call("admin/rules/create", {
      name: "web",
      filter: { tags: ["env=prod"] },
      ...notifying(1),
    });
    const filter = async () =>
      (await alerting.admin.get("/api/1/admin/rules/get", { id: 1 })).json.filter as unknown;
    await alerting.call("admin/rules/update", { id: 1, delay: 1 });
    expect(await filter()).toEqual({ tags: ["env=prod"] });
    await alerting.call("admin/rules/update", { id: 1, filter: { hosts: [1] } });
    expect(await filter()).toEqual({ hosts: [1] });
    const odd = { id: 1, filter: { tags: ["a,b"] } };
    const refused = await alerting.admin.post("/api/1/admin/rules/update", odd);
    expect([refused.status, refused.json.code]).toEqual([400, "argument.invalid"]);
  });

  test("follows the tags that a host has when the event happens", async () => {
    await alerting.call("admin/rules/create", {
      name: "test",
      filter: { tags: ["env=test"] },
      ...notifying(1),
    });
    await alerting.call("admin/tags/remove", { tags: ["env=test"], hosts: [2] });
    await alerting.call("admin/tags/add", { tags: ["env=test"], hosts: [1] });
    await bothFail();
    expect(alerted()).toEqual([1]);
  });
});

describe("events of which nobody is notified", () => {
  const muted = async () =>
    (await alerting.admin.get("/api/1/status/hosts/list")).json.records.map(
      ({ muted }: { muted: unknown }) => muted !== null,
    );

  test("can be named by tags in maintenance", async () => {
    const schedule = { kind: "once", from: START, to: START + 60 * MINUTE };
    const filter = { tags: ["env=prod"] };
    await alerting.call("admin/maintenance/create", { name: "move", filter, schedule });
    expect(await muted()).toEqual([true, false]);
  });

  test("can be named by tags in a mute, whose lease waits for the hosts that have them", async () => {
    await alerting.call("mutes/create", { filter: { tags: ["env=prod"] }, lease: {} });
    await alerting.call("mutes/release", { id: 1 });
    expect(await muted()).toEqual([true, false]);
    alerting.app.clock.step(30);
    await alerting.report({ id: "agent-2", hostname: "host-2", at: START + 30 });
    await alerting.pass(MINUTE);
    expect(await muted()).toEqual([true, false]);
    await alerting.report({ at: alerting.app.clock.now() });
    await alerting.pass(MINUTE);
    expect(await muted()).toEqual([false, false]);
  });
});

test("a user of some groups sees mutes by tags of their hosts only, and mutes by no tag alone", async () => {
  const { app, admin } = alerting;
  await alerting.call("admin/groups/create", { name: "web" });
  await alerting.call("admin/groups/add", { id: 1, hostid: 1 });
  await alerting.call("admin/grants/set", { uname: "user", operate: 1, restricted: true });
  for (const tag of ["env=prod", "env=test"])
    expect((await admin.post("/api/1/mutes/create", { filter: { tags: [tag] }, minutes: 5 })).status).toBe(
      200,
    );
  const user = await app.user();
  const { records } = (await user.get("/api/1/mutes/list")).json;
  expect(records.map(({ filter }: { filter: unknown }) => filter)).toEqual([{ tags: ["env=prod"] }]);
  expect((await user.post("/api/1/mutes/create", { filter: { tags: ["env"] }, minutes: 5 })).status).toBe(
    403,
  );
  const fields = { filter: { tags: ["env"], hostgroups: [1] }, minutes: 5 };
  expect((await user.post("/api/1/mutes/create", fields)).status).toBe(200);
});
