/** Groups, limits and failures as they were, although they are not what they were. */
import { expect, test } from "bun:test";
import { type EventXml, filesystemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { update } from "../../support/ledger.ts";
import { limitWith } from "../../support/limits.ts";

appOfEachTest();

const INCARNATION = START - 3600;
const GROUPS = "/api/1/status/hostgroups/list";

test("a group that only agents name exists while it has members, also after it is gone", async () => {
  const reportIn = (hostGroups: string[]) =>
    app.report({ at: app.clock.now(), incarnation: INCARNATION, hostGroups, services: [{ name: "web" }] });
  await reportIn([]);
  app.pass(30);
  await reportIn(["rack"]);
  app.pass(30);
  await reportIn([]);
  app.pass(30);
  const membersAt = async (at: number) =>
    (await admin.get(GROUPS, { at })).json.records.map(
      ({ name, hosts }: { name: string; hosts: number[] }) => [name, hosts],
    );
  const expectPast = async () => {
    expect(await membersAt(START + 10)).toEqual([]);
    expect(await membersAt(START + 40)).toEqual([["rack", [1]]]);
    expect(await membersAt(START + 70)).toEqual([]);
  };
  await expectPast();
  while (app.muster.unusedGroups.step());
  expect(app.rows("select * from host_groups")).toEqual([]);
  await expectPast();
  await reportIn(["rack"]);
  expect(app.rows("select id, name from host_groups")).toEqual([{ id: 2, name: "rack" }]);
  await expectPast();
});

test("a limit that counted as downtime then counts, although it was deleted since", async () => {
  const id = app.muster.statisticLimits.create(limitWith({ name: "disk", critical: 95, downtime: true }));
  const report = (percent: number) =>
    app.report({
      at: app.clock.now(),
      incarnation: INCARNATION,
      services: [{ name: "rootfs", type: 0, body: filesystemXml({ percent }) }],
    });
  await report(40);
  app.pass(30);
  await report(97);
  app.pass(60);
  const at = app.clock.now();
  const uptime = async (fields: object = {}) =>
    (
      await admin.get("/api/1/reports/uptime/get", {
        id: 1,
        range: 12,
        datefrom: START,
        dateto: at,
        ...fields,
      })
    ).json.items;
  const then = await uptime();
  expect(then[0].downseconds).toBe(60);
  app.pass(1);
  expect((await admin.post("/api/1/limits/delete", { id })).status).toBe(200);
  expect((await uptime())[0].downseconds).toBe(0);
  expect(await uptime({ at })).toEqual(then);
});

test("what the agent calls a mere change does not fail, although its failure is open", async () => {
  const report = (status: number, statusHint: number, event: object | null = null) =>
    app.report({
      at: app.clock.now(),
      incarnation: INCARNATION,
      services: [{ name: "web", status, statusHint }],
      event: event && { service: "web", id: 32, collectedSec: app.clock.now(), ...event },
    });
  await report(32, 0, { state: 1 });
  app.pass(30);
  await report(32, 32);
  app.pass(10);
  const at = app.clock.now();
  const ledAt = async (fields: object = {}) =>
    (await admin.get("/api/1/status/hosts/get", { id: 1, ...fields })).json.records.host.services[0].led;
  expect(await ledAt()).toBe(2);
  app.pass(20);
  await report(32, 0);
  expect(await ledAt()).toBe(0);
  expect(await ledAt({ at })).toBe(2);
  expect(await ledAt({ at: START + 10 })).toBe(0);
});

test("the newest error of the agent stands for a failure, rather than one that follows from its status", async () => {
  const report = (status: number, event: object | null = null) =>
    app.report({
      at: app.clock.now(),
      incarnation: INCARNATION,
      services: [{ name: "web", status, collectedSec: app.clock.now() }],
      event: event && { service: "web", id: 32, ...event },
    });
  await report(0);
  for (let cycle = 0; cycle < 2; cycle++) {
    app.pass(30);
    await report(32);
  }
  app.pass(30);
  await report(32, { state: 1, collectedSec: START + 20 });
  const open = async (fields: object = {}) =>
    (await admin.get("/api/1/reports/events/list", { active: 1, ...fields })).json.records;
  const then = await open();
  expect(then).toHaveLength(1);
  expect(then[0].date).toBe(START + 20);
  const at = app.clock.now();
  app.pass(30);
  await report(0, { state: 0, collectedSec: START + 110 });
  expect(await open()).toEqual([]);
  expect(await open({ at })).toEqual(then);
});

test("a host and service that changed too often since have no settings of today", async () => {
  await app.report({
    at: app.clock.now(),
    incarnation: INCARNATION,
    services: [{ name: "web" }],
    hostGroups: ["rack"],
    serviceGroups: { shop: ["web"] },
  });
  await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["env=prod"] });
  app.pass(60);
  for (const [kind, id] of [
    ["hosts", 1],
    ["services", 1],
    ["host_group_members", 1],
  ] as const)
    app.db.$client.run(
      `insert into revisions (kind, host_id, object_id, until, content) values ('${kind}', 1, ${id}, ${START + 30}, 'false')`,
    );
  const hostAt = async (at: number) =>
    (await admin.get("/api/1/status/hosts/get", { id: 1, at })).json.records.host;
  expect(await hostAt(START + 10)).toMatchObject({
    tags: [],
    platform: { name: "" },
    agent: { version: "" },
  });
  expect(await hostAt(START + 40)).toMatchObject({ tags: ["env=prod"], agent: { version: "5.33.0" } });
  const totalAt = async (list: string, at: number) =>
    (await admin.get(`/api/1/status/${list}/list`, { at })).json.totalRecords;
  for (const list of ["hostgroups", "servicegroups"])
    expect([await totalAt(list, START + 10), await totalAt(list, START + 40)]).toEqual([0, 1]);
});

test("events of then are filtered by a service group that is gone, with the id that any list of then has", async () => {
  const report = (name: string, serviceGroups: Record<string, string[]>, event?: EventXml) =>
    app.report({
      id: name,
      hostname: name,
      at: app.clock.now(),
      incarnation: INCARNATION,
      services: [{ name: "web" }, { name: "db" }],
      serviceGroups,
      ...(event && { event }),
    });
  await report("alpha", { shop: ["web"] }, { service: "web", message: "shop of alpha" });
  await report("beta", { back: ["db"] }, { service: "db", message: "back of beta" });
  app.pass(30);
  const at = app.clock.now();
  app.pass(30);
  await report("alpha", {});
  await report("beta", {});
  const { records } = (await admin.get("/api/1/status/servicegroups/list", { at })).json;
  const eventsOf = async (group: string, fields: object = {}) => {
    const { id } = records.find(({ name }: { name: string }) => name === group);
    expect(id).toBeLessThan(0);
    const reply = await admin.get("/api/1/reports/events/list", { at, servicegroupid: id, ...fields });
    return reply.json.records.map(({ hostname }: { hostname: string }) => hostname);
  };
  for (const active of [0, 1]) {
    expect(await eventsOf("shop", { active })).toEqual(["alpha"]);
    expect(await eventsOf("back", { active })).toEqual(["beta"]);
    expect(await eventsOf("back", { active, hostid: 2 })).toEqual(["beta"]);
  }
});

test("a silent host that a user had set active was active until it fell silent again", async () => {
  const statusAt = async (at: number) => {
    const [host] = (await admin.get("/api/1/status/hosts/list", { at })).json.records;
    return { statusid: host.statusid, heartbeat: host.heartbeat };
  };
  await app.report({ at: app.clock.now(), incarnation: INCARNATION });
  app.pass(100);
  const silent = app.clock.now();
  expect(await statusAt(silent)).toEqual({ statusid: 1, heartbeat: 0 });
  app.pass(10);
  await update({ status: 0 })(app);
  const active = app.clock.now();
  app.pass(100);
  const silentAgain = app.clock.now();
  app.pass(10);
  expect(await statusAt(silent)).toEqual({ statusid: 1, heartbeat: 0 });
  expect(await statusAt(active)).toEqual({ statusid: 0, heartbeat: 0 });
  expect(await statusAt(silentAgain)).toEqual({ statusid: 1, heartbeat: 0 });
});
