import { beforeEach, describe, expect, test } from "bun:test";
import { enabledMaintenance } from "../../../src/alerting/maintenance/maintenance.repository.ts";
import { ActiveMutes } from "../../../src/alerting/notifications/active-mutes.ts";
import type { EventSubject } from "../../../src/alerting/rules/event-filter.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/maintenance/${operation}`;
const HOUR = 3600;
const WITHOUT_QUIET_HOURS = { id: 1, filter: {}, quiet: null };

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

const ONCE = { kind: "once", from: START - HOUR, to: START + HOUR };
const WEEKLY = { kind: "weekly", days: [1, 3], from: "11:30", minutes: 60, timezone: "UTC" };
/** About everything and once, unless the fields say otherwise. */
const USUAL = { name: "maintenance", filter: {}, schedule: ONCE };

async function create(fields: Fields = {}): Promise<number> {
  const reply = await post("create", { ...USUAL, ...fields });
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  return reply.json.id;
}

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
    const id = await create();
    const expected = { id, ...USUAL, enabled: true };
    expect(await get(id)).toEqual({ ...expected, active: true, until: START + HOUR, next: null });
    app.clock.step(HOUR);
    admin = await app.admin();
    expect(await get(id)).toEqual({ ...expected, active: false, until: null, next: null });
  });

  test("that is to come says when", async () => {
    const id = await create({ schedule: { kind: "once", from: START + HOUR, to: START + 2 * HOUR } });
    expect(await get(id)).toMatchObject({ active: false, until: null, next: START + HOUR });
  });

  test("that recurs says until when it is, and when it is next", async () => {
    const filter = { hosts: [1], hostgroups: [1], servicenames: ["w*"] };
    const id = await create({ filter, schedule: { ...WEEKLY, days: [3, 1, 3] } });
    expect(await get(id)).toEqual({
      id,
      name: "maintenance",
      enabled: true,
      filter,
      schedule: WEEKLY,
      active: true,
      until: START + HOUR / 2,
      next: START + 47.5 * HOUR,
    });
  });

  test("that is not in force is neither under way nor to come", async () => {
    const id = await create({ schedule: WEEKLY, enabled: false });
    expect(await get(id)).toMatchObject({ enabled: false, active: false, until: null, next: null });
  });

  test("recurs in the time zone of the settings unless it says otherwise", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Asia/Tokyo" });
    const { timezone: _, ...schedule } = WEEKLY;
    expect((await get(await create({ schedule }))).schedule.timezone).toBe("Asia/Tokyo");
  });
});

describe("an event does not notify anyone", () => {
  const until = (subject: Partial<EventSubject>, at = START) =>
    new ActiveMutes(enabledMaintenance(app.db)).of(WITHOUT_QUIET_HOURS, { ...FAILURE, ...subject }, at);

  test("by the maintenance of its place, as long as that lasts", async () => {
    await create({ filter: { hostgroups: [1], servicenames: ["w*"] } });
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
    const until9 = { kind: "once", from: START - 1, to: START + 9 * HOUR };
    const until99 = { kind: "once", from: START - 1, to: START + 99 * HOUR };
    await create({ name: "short" });
    await create({ name: "long", filter: { hosts: [1] }, schedule: until9 });
    await create({ name: "off", schedule: until99, enabled: false });
    expect(until({})).toEqual({ until: START + 9 * HOUR, reason: 'maintenance "long"' });
    expect(until({ hostId: 2 })).toEqual({ until: START + HOUR, reason: 'maintenance "short"' });
  });
});

describe("refused is", () => {
  const WRONG: readonly [what: string, fields: Fields, error: string][] = [
    ["neither kind of time", { schedule: { kind: "daily" } }, "schedule.kind must be one of once, weekly"],
    ["a beginning without an end", { schedule: { kind: "once", from: START } }, "schedule.to is required"],
    ["an end at the beginning", { schedule: { ...ONCE, to: ONCE.from } }, "schedule.from must be before"],
    ["a beginning that is no time", { schedule: { ...ONCE, from: "now" } }, "schedule.from must be a unix"],
    [
      "both kinds of time",
      { schedule: { ...WEEKLY, ...ONCE } },
      "There is no argument schedule.days: use kind",
    ],
    ["no days", { schedule: { ...WEEKLY, days: [] } }, "schedule.days must be a list of days"],
    ["a day that there is not", { schedule: { ...WEEKLY, days: [7] } }, "schedule.days[0] must be a day"],
    [
      "a time beyond the day",
      { schedule: { ...WEEKLY, from: "24:00" } },
      "schedule.from must be a time of day",
    ],
    ["no length", { schedule: { ...WEEKLY, minutes: 0 } }, "schedule.minutes must be"],
    ["more than a week", { schedule: { ...WEEKLY, minutes: 10_081 } }, "schedule.minutes must be"],
    [
      "a time zone that there is not",
      { schedule: { ...WEEKLY, timezone: "Mars" } },
      "schedule.timezone must be",
    ],
    ["an unknown host", { filter: { hosts: [1, 9] } }, "filter.hosts[1] must be the id of a host"],
    [
      "an unknown host group",
      { filter: { hostgroups: [9] } },
      "filter.hostgroups[0] must be the id of a host group",
    ],
    ["an empty list of what it applies to", { filter: { hosts: [] } }, "filter.hosts must be a list"],
  ];
  for (const [title, fields, error] of WRONG)
    test(title, async () => {
      const code = /^There/.test(error) ? "unknown" : error.endsWith("required") ? "missing" : "invalid";
      const call = () => post("create", { ...USUAL, ...fields });
      const reply = await expectRefusal(app, call, 400, `argument.${code}`);
      expect(reply.json.error).toStartWith(error);
    });
});
