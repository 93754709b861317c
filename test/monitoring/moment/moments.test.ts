/** Which moments are known, how they are asked about, and what counts that arrived later. */
import { describe, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { MOMENT_PATHS } from "../../../src/monitoring/moment/moment-paths.ts";
import { argumentNames } from "../../../src/platform/http/operation.ts";
import { legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { type EventXml, eventXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";
import { runToEnd } from "../history/history-fixture.ts";

appOfEachTest();

const DAY = 86_400;
const HOSTS = "/api/1/status/hosts/list";
const MOMENT = "/api/1/moment/get";

test("exactly the listed operations take a moment, and none of the legacy API does", () => {
  const paths = app.operations.filter(({ past }) => past).map(({ path }) => path);
  expect(paths.toSorted()).toEqual([...MOMENT_PATHS].toSorted());
  const legacy = legacyOperations(app.muster.queries, app.operations);
  expect(legacy.filter((operation) => argumentNames(operation).includes("at"))).toEqual([]);
});

test("the legacy API shows the present, whatever moment is named", async () => {
  await app.report({});
  const { json } = await admin.get("/api/2/status/hosts/list", { at: START - DAY });
  expect(json.totalRecords).toBe(1);
});

describe("a moment is refused", () => {
  test("in the future", async () => {
    await expectRefusal(app, () => admin.get(HOSTS, { at: START + 1 }), 400, "moment.future");
    expect((await admin.get(HOSTS, { at: START })).status).toBe(200);
  });

  test("when events of it are no longer kept", async () => {
    app.settings.set("eventdays", 30);
    const known = START - 30 * DAY;
    await expectRefusal(app, () => admin.get(HOSTS, { at: known - 1 }), 400, "moment.not_known");
    expect((await admin.get(HOSTS, { at: known })).json.records).toEqual([]);
    expect((await admin.get(MOMENT, { at: known })).json.known).toBe(known);
  });

  test("when some of it was deleted, also if events are kept for more days since", async () => {
    app.settings.set("eventdays", 1);
    await app.report({ event: { service: "web", state: 2, id: 32 } });
    app.clock.step(3 * DAY);
    while (app.muster.retention.step());
    expect(app.rows("select * from events")).toEqual([]);
    const known = app.clock.now() - DAY;
    app.settings.set("eventdays", 30);
    const later = await app.admin();
    await expectRefusal(app, () => later.get(HOSTS, { at: known - 1 }), 400, "moment.not_known");
    expect((await later.get(MOMENT, { at: known })).json.known).toBe(known);
  });

  test("after an upgrade from a version that deleted some of it without a note, also if more days are set", async () => {
    app.settings.set("eventdays", 1);
    await app.report({ event: { service: "web", state: 2, id: 32 } });
    app.clock.step(3 * DAY);
    while (app.muster.retention.step());
    app.db.$client.run("delete from settings where key in ('pastsince', 'uptimesince')");
    app.db.$client.run(
      `insert into revisions (kind, object_id, until) values ('recording', 0, ${app.clock.now()})`,
    );
    const { db, clock } = app;
    const next = new TestApp({ db, snapshot: { database: new Uint8Array(), time: clock.now() } });
    while (next.muster.retention.step());
    const known = next.clock.now() - DAY;
    next.settings.set("eventdays", 30);
    const later = await next.admin();
    await expectRefusal(next, () => later.get(HOSTS, { at: known - 1 }), 400, "moment.not_known");
    expect((await later.get(MOMENT, { at: known })).json.known).toBe(known);
  });

  test("not while nothing of it was deleted", async () => {
    app.settings.set("eventdays", 1);
    app.clock.step(3 * DAY);
    while (app.muster.retention.step());
    app.settings.set("eventdays", 30);
    const later = await app.admin();
    expect((await later.get(HOSTS, { at: START })).status).toBe(200);
  });

  test("not because of notes on status pages, which no moment shows", async () => {
    app.settings.set("eventdays", 1);
    await app.report({});
    for (const text of ["The disk is full", "The disk is being replaced"])
      await admin.post("/api/1/publicnotes/create", { hostid: 1, text });
    app.clock.step(3 * DAY);
    while (app.muster.retention.step());
    expect(app.rows("select text from public_notes")).toEqual([{ text: "The disk is being replaced" }]);
    app.settings.set("eventdays", 30);
    const later = await app.admin();
    expect((await later.get(HOSTS, { at: START })).status).toBe(200);
  });
});

describe("what is known of a moment", () => {
  test("is all but texts and suppressed messages in a database that always recorded changes", async () => {
    const { json } = await admin.get(MOMENT);
    expect(json).toMatchObject({
      at: START,
      values: "message",
      recorded: 0,
      unknown: ["outputs", "suppressed"],
    });
  });

  test("are means after the days of raw statistics, and of an hour after those of five minutes", async () => {
    const valuesOf = async (days: number) =>
      (await admin.get(MOMENT, { at: START - days * DAY })).json.values;
    expect([await valuesOf(14), await valuesOf(15), await valuesOf(91)]).toEqual([
      "message",
      "minutes",
      "hour",
    ]);
  });

  test("are no settings of today before changes were recorded", async () => {
    await app.report({ services: [{ name: "web" }] });
    await admin.post("/api/1/admin/groups/create", { name: "rack" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
    await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["env=prod"] });
    app.pass(30);
    app.db.$client.run(
      `insert into revisions (kind, object_id, until, content) values ('recording', 0, ${app.clock.now()}, null)`,
    );
    const at = START + 10;
    const host = (await admin.get("/api/1/status/hosts/get", { id: 1, at })).json.records.host;
    expect(host).toMatchObject({ name: "host-1", groups: [], tags: [], platform: { name: "" }, led: 2 });
    expect((await admin.get("/api/1/status/hostgroups/list", { at })).json.records).toEqual([]);
    expect((await admin.get(MOMENT, { at })).json.unknown).toContain("groups");
  });

  test("is the uptime of no host of a group before changes were recorded", async () => {
    await app.report({});
    await admin.post("/api/1/admin/groups/create", { name: "rack" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
    await admin.post("/api/1/admin/groups/target", { id: 1, target: 99.9 });
    app.pass(30);
    const recorded = app.clock.now();
    app.db.$client.run(`insert into revisions (kind, object_id, until) values ('recording', 0, ${recorded})`);
    app.pass(30);
    const budget = (at: number, hostgroupid?: number) =>
      admin.get("/api/1/reports/uptime/budget", { at, range: 0, ...(hostgroupid && { hostgroupid }) });
    const unknown = { hostgroup: null, target: null, hosts: 0, up: 0, uptime: null, items: [] };
    expect(await budget(recorded - 1, 1)).toMatchObject({ status: 200, json: unknown });
    expect((await budget(recorded - 1)).json).toMatchObject({ hostgroup: null, hosts: 1 });
    expect((await budget(recorded, 1)).json).toMatchObject({
      hostgroup: { name: "rack" },
      target: 99.9,
      hosts: 1,
    });
    for (const at of [recorded, app.clock.now()])
      await expectRefusal(app, () => budget(at, 2), 404, "object.unknown");
  });
});

test("a failure of which the agent tells later is open at a moment between the two", async () => {
  const report = (event: object | null = null) =>
    app.report({
      at: app.clock.now(),
      incarnation: START - 3600,
      services: [{ name: "web" }],
      event: event && { service: "web", ...event },
    });
  await report();
  app.pass(60);
  const at = app.clock.now();
  expect((await admin.get(HOSTS, { at })).json.records[0].led).toBe(2);
  app.pass(20);
  await report({ collectedSec: START + 30, state: 1 });
  expect((await admin.get(HOSTS, { at })).json.records[0]).toMatchObject({ led: 0, events: 1 });
  await report({ collectedSec: START + 45, state: 0 });
  expect((await admin.get(HOSTS, { at })).json.records[0]).toMatchObject({ led: 2, events: 2 });
  expect((await admin.get(HOSTS, { at: START + 40 })).json.records[0]).toMatchObject({ led: 0, events: 1 });
});

test("groups and tags of hosts that did not exist yet are in no moment before them", async () => {
  await app.report({ services: [{ name: "web" }] });
  await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["env=test"] });
  app.pass(60);
  const at = app.clock.now();
  const answers = async (fields: Fields) => [
    (await admin.get("/api/1/status/hostgroups/list", fields)).json,
    (await admin.get("/api/1/status/tags/list", fields)).json,
  ];
  const then = await answers({});
  app.pass(60);
  await app.report({ id: "agent-2", hostname: "two", hostGroups: ["cellar"], at: app.clock.now() });
  await admin.post("/api/1/admin/tags/add", { hosts: [2], tags: ["env=prod"] });
  expect(await answers({ at })).toEqual(then);
  expect(await answers({})).not.toEqual(then);
});

test("limits on statistics with a descriptor are listed for a user who sees a host that has them", async () => {
  await app.report({ hostGroups: ["rack"], services: [{ name: "host", type: 5, body: systemXml() }] });
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: 1, restricted: true });
  for (const descriptor of ["15min", "of hidden hosts"])
    await admin.post("/api/1/limits/create", { name: descriptor, statistics: [0], descriptor, warning: 8 });
  const at = app.clock.now();
  app.clock.step(60);
  const namesOf = async (fields: Fields) =>
    (await user.get("/api/1/limits/list", fields)).json.records.map(({ name }: { name: string }) => name);
  expect(await namesOf({})).toEqual(["15min"]);
  expect(await namesOf({ at })).toEqual(["15min"]);
});

test("an incident names the change before it, also of another service of its host", async () => {
  const services = [{ name: "web" }, { name: "config", type: 2 }];
  const report = (event?: EventXml) =>
    app.report({ at: app.clock.now(), incarnation: START - 3600, services, event: event ?? null });
  await report();
  app.pass(30);
  await report({ service: "config", serviceType: 2, id: 1, state: 2, message: "other checksum" });
  app.pass(30);
  await report({ service: "web", state: 1 });
  const at = app.clock.now();
  const changes = async (fields: Fields) => [
    (await admin.get("/api/1/incidents/list", fields)).json.records[0].change,
    (await admin.get("/api/1/incidents/get", { id: 2, ...fields })).json.change,
  ];
  const then = await changes({});
  expect(then[0]).toMatchObject({ servicename: "config", message: "other checksum" });
  app.pass(60);
  expect(await changes({ at })).toEqual(then);
});

describe("who was on call is named, although deleted since,", () => {
  const call = async (path: string, fields: Fields) => {
    const { status, json } = await admin.post(`/api/1/${path}`, fields);
    expect(status).toBe(200);
    return json;
  };
  const rotationsOf = (...users: string[]) => [
    { name: "Week", users, start: "2026-01-01", handover: "00:00", unit: "week", every: 1, hours: null },
  ];
  const create = (uname: string) =>
    call("admin/users/create", { uname, password: "long enough", fullname: `The ${uname}` });
  const onCall = async (fields: Fields) => {
    const [{ uname, fullname }] = (await admin.get("/api/1/oncall/now", fields)).json.records;
    return { uname, fullname };
  };

  test.each([
    ["a rotation that was replaced", "oncall/update", { rotations: rotationsOf("user") }],
    ["a schedule that was deleted", "oncall/delete", {}],
  ])("by %s", async (_by, operation, changes) => {
    await create("ann");
    const rotations = rotationsOf("ann");
    const { id } = await call("oncall/create", { name: "Office", timezone: "UTC", rotations });
    const at = app.clock.now();
    app.pass(30);
    await call(operation, { id, ...changes });
    await call("admin/users/delete", { uname: "ann" });
    expect(await onCall({ at })).toEqual({ uname: "ann", fullname: "The ann" });
    // Some revisions name users by their logins.
    app.db.$client.run("update revisions set content = replace(content, '[3]', '[\"ann\"]')");
    expect(await onCall({ at })).toEqual({ uname: "ann", fullname: "The ann" });
  });

  test("by an override, although another user has the name now", async () => {
    for (const uname of ["ann", "bob"]) await create(uname);
    const rotations = rotationsOf("bob");
    const { id: schedule } = await call("oncall/create", { name: "Office", timezone: "UTC", rotations });
    const span = { from: app.clock.now(), to: app.clock.now() + 100 };
    await call("oncall/override/create", { schedule, user: "ann", ...span });
    const at = app.clock.now();
    app.pass(200);
    await call("admin/users/delete", { uname: "ann" });
    expect(await onCall({ at })).toEqual({ uname: "ann", fullname: "The ann" });
    await call("admin/users/create", { uname: "ann", password: "long enough", fullname: "Another" });
    expect(await onCall({ at })).toEqual({ uname: "ann", fullname: "The ann" });
  });
});

/** An agent that reports nothing but an event. */
const tell = (event: Partial<EventXml>) =>
  app.report(
    `<monit id="agent-1"><server/>${eventXml({ service: "web", ...event }, app.clock.now())}</monit>`,
  );

test("a failure that began before events are kept is listed at a moment at which it was open", async () => {
  app.settings.set("eventdays", 1);
  const report = (state: number) =>
    app.report({
      at: app.clock.now(),
      incarnation: START - 3600,
      services: [{ name: "web", status: state === 1 ? 512 : 0 }],
      event: { service: "web", state, id: 512 },
    });
  await report(1);
  app.clock.step(1.5 * DAY);
  await report(0);
  app.clock.step(DAY / 4);
  while (app.muster.retention.step());
  const later = await app.admin();
  const { records } = (await later.get("/api/1/reports/events/list", { active: 1, at: START + DAY })).json;
  expect(records.map(({ id }: Fields) => id)).toEqual([1]);
});

describe("after the last report of a host,", () => {
  const report = (service: object) =>
    app.report({ at: app.clock.now(), incarnation: START - 3600, services: [{ name: "web", ...service }] });
  const ledAt = async (at: number) => (await (await app.admin()).get(HOSTS, { at })).json.records[0].led;

  test("a failure that ended is none, and one that began is one, also hours later", async () => {
    await report({ status: 512 });
    await tell({ state: 1, id: 512, collectedSec: START });
    app.clock.step(40);
    await tell({ state: 0, id: 512, collectedSec: START + 40 });
    app.clock.step(40);
    await tell({ state: 1, id: 4, collectedSec: START + 80 });
    app.clock.step(5 * 3600);
    expect([await ledAt(START + 20), await ledAt(START + 60), await ledAt(START + 90)]).toEqual([0, 2, 0]);
    await report({ status: 0 });
    app.clock.step(5 * 3600);
    runToEnd(app.muster.compaction);
    expect([await ledAt(START + 20), await ledAt(START + 60), await ledAt(START + 90)]).toEqual([0, 2, 0]);
  });

  test("a failure that ended is none, although the report is packed in a block of the hours before", async () => {
    app.clock.step(3600 - (START % 3600));
    const at = app.clock.now();
    await report({ status: 512 });
    await tell({ state: 1, collectedSec: at });
    app.clock.step(80 * 60);
    await tell({ state: 0, collectedSec: at + 80 * 60 });
    app.clock.step(5 * 3600);
    await report({ status: 0 });
    runToEnd(app.muster.compaction);
    expect([await ledAt(at + 79 * 60), await ledAt(at + 81 * 60)]).toEqual([0, 2]);
  });
});

test("events of a service group are those of its members at the moment", async () => {
  const report = (members: string[], event: EventXml) =>
    app.report({
      at: app.clock.now(),
      incarnation: START - 3600,
      services: [{ name: "web" }, { name: "cron" }],
      serviceGroups: { shop: members },
      event,
    });
  await report(["web"], { service: "web", state: 1 });
  const [group] = (await admin.get("/api/1/status/servicegroups/list")).json.records;
  app.pass(60);
  await report(["cron"], { service: "web", state: 1, id: 4 });
  const eventsAt = async (active: number, at?: number) => {
    const filter = { active, servicegroupid: group.id, ...(at !== undefined && { at }) };
    return (await admin.get("/api/1/reports/events/list", filter)).json.records.map(({ id }: Fields) => id);
  };
  for (const active of [0, 1]) {
    expect(await eventsAt(active, START + 30)).toEqual([1]);
    expect(await eventsAt(active)).toEqual([]);
  }
});

test("values are the mean of their five minutes, then of their hour, when those of messages are deleted", async () => {
  for (const memory of [10, 20, 60]) {
    const services = [{ name: "host-1", type: 5, body: systemXml({ memory }) }];
    await app.report({ at: app.clock.now(), incarnation: START - 3600, services });
    app.clock.step(memory === 20 ? 300 : 30);
  }
  const at = START + 40;
  const memoryOf = async () =>
    (await (await app.admin()).get(HOSTS, { at, sort: "mem" })).json.records[0].mem;
  expect(await memoryOf()).toBe(20);
  app.clock.step(2 * DAY);
  runToEnd(app.muster.compaction);
  expect(await memoryOf()).toBe(20);
  app.db.$client.run("delete from history_blocks where resolution = 0");
  expect(await memoryOf()).toBe(15);
  app.db.$client.run("delete from history_blocks where resolution = 300");
  expect(await memoryOf()).toBe(30);
});

test("the values of a host that has not reported since are those of its last message, also of a mean that it is in", async () => {
  await app.report({ services: [{ name: "host-1", type: 5, body: systemXml({ memory: 20 }) }] });
  app.clock.step(2 * DAY);
  runToEnd(app.muster.compaction);
  app.db.$client.run("delete from history_blocks where resolution = 0");
  const of = { type: STATISTIC.memoryPercent.code, at: START + 40 };
  const client = await app.admin();
  expect((await client.get("/api/1/reports/history/top", of)).json.records).toMatchObject([{ value: 20 }]);
  const { host } = (await client.get("/api/1/status/hosts/get", { id: 1, at: of.at })).json.records;
  expect(host.services[0].statistics).toContainEqual(expect.objectContaining({ type: of.type, value: 20 }));
});
