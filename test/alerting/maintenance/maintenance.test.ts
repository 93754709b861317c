import { beforeEach, describe, expect, test } from "bun:test";
import { enabledMaintenance } from "../../../src/alerting/maintenance/maintenance.repository.ts";
import { MAX_MAINTENANCE } from "../../../src/alerting/maintenance/maintenance.service.ts";
import { ActiveMutes } from "../../../src/alerting/notifications/active-mutes.ts";
import type { EventSubject } from "../../../src/alerting/rules/event-filter.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/maintenance/${operation}`;
const HOUR = 3600;
const WITHOUT_QUIET_HOURS = { id: 1, quietHours: null };

let app: TestApp;
let admin: TestClient;

/** Hosts 1 "web", of host group 1 "linux", and 2 "db". It is Monday, 12:00 UTC. */
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
  await app.report({ id: "a-web", hostname: "web", hostGroups: ["linux"] });
  await app.report({ id: "a-db", hostname: "db" });
});

const post = (operation: string, fields: Fields) => admin.post(path(operation), fields);
const get = async (id: number) => (await admin.get(path("get"), { id })).json;

/** Of everything, unless the fields name a scope. */
async function create(fields: Fields): Promise<number> {
  const hasScope = "hostid" in fields || "hostgroupid" in fields || "servicename" in fields;
  const reply = await post("create", { name: "maintenance", ...(!hasScope && { everything: 1 }), ...fields });
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  return reply.json.id;
}

const ONCE = { from: START - HOUR, to: START + HOUR };
const WEEKLY = { days: [1, 3], timeofday: "11:30", minutes: 60, timezone: "UTC" };

/** A failure of the service "web" on host 1. */
const FAILURE: EventSubject = {
  hostId: 1,
  hostGroupIds: [1],
  tags: [],
  serviceName: "web",
  serviceGroups: [],
  serviceType: 3,
  eventType: 512,
  state: 1,
  severity: 0,
};

describe("maintenance", () => {
  test("that is once is under way between two times", async () => {
    const id = await create(ONCE);
    const expected = {
      ...{ id, name: "maintenance", enabled: true, filter: {} },
      schedule: { kind: "once", ...ONCE },
    };
    expect(await get(id)).toEqual({ ...expected, active: true, until: START + HOUR, next: null });
    app.clock.step(HOUR);
    admin = await app.admin();
    expect(await get(id)).toEqual({ ...expected, active: false, until: null, next: null });
  });

  test("that is to come says when", async () => {
    const id = await create({ from: START + HOUR, to: START + 2 * HOUR });
    expect(await get(id)).toMatchObject({ active: false, until: null, next: START + HOUR });
  });

  test("that recurs says until when it is, and when it is next", async () => {
    const id = await create({ ...WEEKLY, hostid: 1, hostgroupid: 1, servicename: "w*" });
    expect(await get(id)).toEqual({
      ...{ id, name: "maintenance", enabled: true },
      filter: { hosts: [1], hostgroups: [1], servicenames: ["w*"] },
      schedule: { kind: "weekly", days: [1, 3], from: "11:30", minutes: 60, timezone: "UTC" },
      ...{ active: true, until: START + HOUR / 2, next: START + 47.5 * HOUR },
    });
  });

  test("that is not in force is neither under way nor to come", async () => {
    const id = await create({ ...WEEKLY, enabled: 0 });
    expect(await get(id)).toMatchObject({ enabled: false, active: false, until: null, next: null });
  });

  test("recurs in the time zone of the settings unless it says otherwise", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Asia/Tokyo" });
    const { timezone: _, ...rest } = WEEKLY;
    expect((await get(await create(rest))).schedule.timezone).toBe("Asia/Tokyo");
  });

  test("is listed by name", async () => {
    await create({ name: "b", ...ONCE });
    await create({ name: "a", ...WEEKLY });
    const records = [await get(2), await get(1)];
    expect((await admin.get(path("list"))).json).toEqual({ totalRecords: 2, records });
  });

  test("changes as far as an update says", async () => {
    const id = await create({ ...WEEKLY, hostid: 1, servicename: "web" });
    const before = await get(id);
    await post("update", { id, name: "other", minutes: 30, hostid: "" });
    expect(await get(id)).toMatchObject({
      name: "other",
      filter: { servicenames: ["web"] },
      schedule: { ...before.schedule, minutes: 30 },
    });
    expect((await get(id)).filter.hosts).toBeUndefined();
    await post("update", { id, ...ONCE });
    expect((await get(id)).schedule).toEqual({ kind: "once", ...ONCE });
    await post("update", { id, to: START });
    expect((await get(id)).schedule).toEqual({ kind: "once", from: START - HOUR, to: START });
    await post("update", { id, ...WEEKLY });
    expect((await get(id)).schedule).toEqual(before.schedule);
  });

  test("applies to everything only if that is asked for", async () => {
    const id = await create({ ...ONCE, hostid: 1 });
    const remove = () => post("update", { id, hostid: "" });
    await expectRefusal(app, remove, 400, "argument.missing");
    expect((await post("update", { id, hostid: "", everything: 1 })).status).toBe(200);
    expect((await get(id)).filter).toEqual({});
    expect((await post("update", { id, name: "other" })).status).toBe(200);
    expect(await get(id)).toMatchObject({ name: "other", filter: {} });
    expect((await post("update", { id, hostid: 2 })).status).toBe(200);
    expect((await get(id)).filter).toEqual({ hosts: [2] });
    expect((await post("update", { id, everything: 1 })).status).toBe(200);
    expect((await get(id)).filter).toEqual({});
  });

  test("keeps the id of a host that is deleted", async () => {
    const id = await create({ ...ONCE, hostid: [1, 2] });
    await admin.post("/api/1/admin/hosts/delete", { id: 1 });
    expect((await get(id)).filter).toEqual({ hosts: [1, 2] });
    expect((await post("update", { id, hostid: [1, 2] })).status).toBe(200);
  });

  test("is deleted, and nothing else with it", async () => {
    await create({ name: "a", ...ONCE });
    await create({ name: "b", ...ONCE });
    const before = stored(app);
    expect((await post("delete", { id: 1 })).json).toEqual({});
    expect(changedTables(app, before)).toEqual(["maintenance_windows"]);
    expect((await admin.get(path("list"))).json.records).toMatchObject([{ name: "b" }]);
  });

  test("is in the audit log with what was changed", async () => {
    await create({ ...ONCE, hostid: 1 });
    await post("update", { id: 1, enabled: 0 });
    await post("delete", { id: 1 });
    const { records } = (await admin.get("/api/1/admin/audit/list", { operation: "admin/maintenance" })).json;
    const subject = { subject: "maintenance", subjectid: "1", subjectname: "maintenance" };
    expect(records).toMatchObject([
      { operation: "admin/maintenance/delete", ...subject, details: {} },
      { operation: "admin/maintenance/update", ...subject, details: { enabled: [true, false] } },
      { operation: "admin/maintenance/create", ...subject, details: { filter: { hosts: [1] } } },
    ]);
  });
});

describe("an event is kept quiet", () => {
  const until = (subject: Partial<EventSubject>, at = START) =>
    new ActiveMutes(enabledMaintenance(app.db)).of(WITHOUT_QUIET_HOURS, { ...FAILURE, ...subject }, at);

  test("by the maintenance of its place, as long as that lasts", async () => {
    await create({ ...ONCE, hostgroupid: 1, servicename: "w*" });
    const mute = { until: START + HOUR, reason: 'maintenance "maintenance"' };
    expect(until({})).toEqual(mute);
    expect(until({}, START - HOUR)).toEqual(mute);
    expect(until({}, START - HOUR - 1)).toBeNull();
    expect(until({}, START + HOUR)).toBeNull();
    expect(until({ hostGroupIds: [] })).toBeNull();
    expect(until({ serviceName: "db" })).toBeNull();
    expect(until({ state: 0 })).toEqual(mute);
  });

  test("by the longest of several", async () => {
    await create({ name: "short", ...ONCE });
    await create({ name: "long", from: START - 1, to: START + 9 * HOUR, hostid: 1 });
    await create({ name: "off", from: START - 1, to: START + 99 * HOUR, enabled: 0 });
    expect(until({})).toEqual({ until: START + 9 * HOUR, reason: 'maintenance "long"' });
    expect(until({ hostId: 2 })).toEqual({ until: START + HOUR, reason: 'maintenance "short"' });
  });
});

describe("refused is", () => {
  const WRONG: readonly [what: string, fields: Fields, argument: string, code?: string][] = [
    ["no time at all", {}, "from", "argument.missing"],
    ["a beginning without an end", { from: START }, "to", "argument.missing"],
    ["an end without a beginning", { to: START }, "from", "argument.missing"],
    ["an end at the beginning", { from: START, to: START }, "from"],
    ["a beginning that is no time", { from: "now", to: START }, "from"],
    ["days without a time", { days: 1, minutes: 60 }, "timeofday", "argument.missing"],
    ["days without a length", { days: 1, timeofday: "03:00" }, "minutes", "argument.missing"],
    ["a time without days", { timeofday: "03:00", minutes: 60 }, "days", "argument.missing"],
    ["no days", { ...WEEKLY, days: "" }, "days", "argument.missing"],
    ["a day that there is not", { ...WEEKLY, days: 7 }, "days"],
    ["a time beyond the day", { ...WEEKLY, timeofday: "24:00" }, "timeofday"],
    ["no length", { ...WEEKLY, minutes: 0 }, "minutes"],
    ["more than a week", { ...WEEKLY, minutes: 10_081 }, "minutes"],
    ["a time zone that there is not", { ...WEEKLY, timezone: "Mars" }, "timezone"],
    ["both kinds of time", { ...ONCE, ...WEEKLY }, "days"],
    ["an unknown host", { ...ONCE, hostid: 9 }, "hostid"],
    ["an unknown host group", { ...ONCE, hostgroupid: 9 }, "hostgroupid"],
    ["an empty name", { ...ONCE, name: "" }, "name"],
    ["nothing that it applies to", ONCE, "hostid", "argument.missing"],
    ["an empty list of what it applies to", { ...ONCE, hostid: "" }, "hostid", "argument.missing"],
    ["both everything and something", { ...ONCE, hostid: 1, everything: true }, "everything"],
  ];
  for (const [what, fields, argument, code = "argument.invalid"] of WRONG)
    test(what, async () => {
      const reply = await expectRefusal(app, () => post("create", { name: "new", ...fields }), 400, code);
      expect(reply.json.error).toStartWith(`${argument} `);
    });

  test("an end before the beginning that is there", async () => {
    await create(ONCE);
    const call = () => post("update", { id: 1, to: START - 2 * HOUR });
    expect((await expectRefusal(app, call, 400, "argument.invalid")).json.error).toStartWith("from ");
  });

  test("the name of another one", async () => {
    await create({ name: "a", ...ONCE });
    await create({ name: "b", ...ONCE });
    await expectRefusal(
      app,
      () => post("create", { name: "a", ...ONCE, hostid: 1 }),
      409,
      "maintenance.exists",
    );
    await expectRefusal(app, () => post("update", { id: 2, name: "a" }), 409, "maintenance.exists");
  });

  test("one that is not there", async () => {
    for (const operation of ["update", "delete"])
      await expectRefusal(app, () => post(operation, { id: 9 }), 404, "object.unknown");
    await expectRefusal(app, () => admin.get(path("get"), { id: 9 }), 404, "object.unknown");
  });

  test("one more than there may be", async () => {
    const insert = "insert into maintenance_windows (name, schedule, created_at) values (?, ?, 0)";
    for (let i = 1; i <= MAX_MAINTENANCE; i++)
      app.db.$client.run(insert, [`maintenance ${i}`, JSON.stringify({ kind: "once", ...ONCE })]);
    await expectRefusal(
      app,
      () => post("create", { name: "new", ...ONCE, hostid: 1 }),
      400,
      "request.invalid",
    );
  });
});
