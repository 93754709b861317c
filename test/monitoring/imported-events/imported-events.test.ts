/** Events that a host had on another server: stored once, counted in its uptime, and silent. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const STORE = "/api/1/admin/pastevents/store";
const MISSING = "/api/1/admin/pastevents/missing";
const DAY = 86_400;
const HOUR = 3600;

const WEB = { name: "web" };

appOfEachTest();
beforeEach(async () => {
  await app.report({ id: "a", hostname: "alpha", services: [WEB] });
});

/** An event of the service web ten days ago, unless it says otherwise. */
const past = (fields: Fields = {}) => ({
  ...{ id: 7, date: START - 10 * DAY, service: "web", servicetype: 3, eventtype: 512, state: 1, action: 1 },
  ...{ message: "process is not running", notes: [] },
  ...fields,
});
const identity = ({ id, date, service, eventtype, state }: ReturnType<typeof past>) => ({
  ...{ id, date, service, eventtype, state },
});

const FAILURE = [
  past(),
  past({ id: 8, date: START - 10 * DAY + HOUR, state: 0, message: "process is running" }),
];

const store = async (...events: object[]) => (await admin.post(STORE, { agentid: "a", events })).json;
const missing = async (...events: ReturnType<typeof past>[]) =>
  (await admin.post(MISSING, { agentid: "a", events: events.map(identity) })).json;
const eventsOf = async (fields: Fields = {}) =>
  (await admin.get("/api/1/reports/events/list", { sort: "date", dir: "asc", ...fields })).json.records;
const lines = async () =>
  (await eventsOf()).map(({ date, servicename, eventtype, event }: Record<string, unknown>) =>
    [Number(date) - START, servicename, eventtype, event].join(" "),
  );

/** The agent posts an event of the service web. */
function send(secondsAgo: number, state = 1, now = 0): Promise<Response> {
  const event = { service: "web", state, collectedSec: START - secondsAgo };
  return app.report({ id: "a", hostname: "alpha", services: [WEB], event, at: START + now });
}

describe("the past of a host", () => {
  test("counts in its uptime and in that of its service, from its first event on", async () => {
    expect(await store(...FAILURE)).toEqual({ host: 1, stored: 2 });
    const range = { range: 12, datefrom: START - 20 * DAY, dateto: START };
    const [host] = (await admin.get("/api/1/reports/uptime/list", range)).json.items;
    expect(host).toMatchObject({ name: "alpha", events: 2, uptime: 100 });
    const { items } = (await admin.get("/api/1/reports/uptime/get", { id: 1, ...range })).json;
    expect(items).toHaveLength(1);
    // An hour of ten days.
    expect(items[0]).toMatchObject({ name: "web", events: 2 });
    expect(items[0].uptime).toBeCloseTo(100 - 100 / 240, 3);
  });

  test("has outages of the host itself", async () => {
    const outage = { service: "Monit", servicetype: 5, eventtype: 1_048_576 };
    await store(past(outage), past({ ...outage, id: 8, date: START - 5 * DAY, state: 0 }));
    const range = { range: 12, datefrom: START - 20 * DAY, dateto: START };
    const [host] = (await admin.get("/api/1/reports/uptime/list", range)).json.items;
    expect(host.uptime).toBeCloseTo(50, 3);
  });

  test("keeps the words, the action and the notes of events", async () => {
    const notes = [
      { date: START - 9 * DAY, uname: "anna", message: "disk replaced" },
      { date: START - 8 * DAY, uname: "ben", message: "seen again" },
    ];
    await store(past({ action: 2, notes }));
    const [{ id, note }] = await eventsOf();
    expect(note).toBe(1);
    expect((await admin.get("/api/1/reports/events/get", { id })).json).toMatchObject({
      host: "alpha",
      date: START - 10 * DAY,
      servicename: "web",
      servicetype: "Process",
      event: "Nonexist",
      eventstate: 1,
      action: "Restart",
      message: "process is not running",
      note: notes,
    });
    expect(await eventsOf({ text: "running" })).toHaveLength(1);
  });

  test("is one incident", async () => {
    await store(...FAILURE);
    const { records } = (await admin.get("/api/1/incidents/list", { state: "ended" })).json;
    expect(records).toEqual([
      expect.objectContaining({ since: START - 10 * DAY, ended: START - 10 * DAY + HOUR }),
    ]);
  });

  test("notifies nobody, whatever the rules", async () => {
    const { id } = (
      await admin.post("/api/1/admin/channels/create", {
        name: "hook",
        type: "webhook",
        settings: { url: "http://127.0.0.1:9/" },
      })
    ).json;
    await admin.post("/api/1/admin/rules/create", {
      name: "all",
      steps: [{ channels: [id] }],
    });
    const before = stored(app);
    await store(...FAILURE, past({ id: 9, date: START - DAY }));
    expect(changedTables(app, before)).toEqual([
      "downtime_intervals",
      "event_word_sets",
      "event_words",
      "events",
      "hosts",
      "services",
    ]);
  });

  test("may have two events in one second", async () => {
    expect(await store(past(), past({ id: 8 }))).toEqual({ host: 1, stored: 2 });
  });
});

describe("an event is stored once", () => {
  test("however often it is imported", async () => {
    await store(...FAILURE);
    const before = stored(app);
    expect(await store(...FAILURE)).toEqual({ host: 1, stored: 0 });
    expect(changedTables(app, before)).toEqual([]);
  });

  test("if the agent sent it here, too", async () => {
    await send(60, 1, 0);
    await send(20, 0, 0);
    const twin = past({ date: START - 62, message: "the same" });
    const other = past({ id: 8, date: START - 50 });
    expect(await missing(twin, other)).toEqual({ missing: [8], present: 1, expired: 0 });
    expect(await store(twin, other)).toEqual({ host: 1, stored: 1 });
    expect(await lines()).toEqual([
      "-60 web 1 does not exist",
      "-50 web 1 process is not running",
      "-20 web 0 does not exist",
    ]);
  });

  test("if the agent sends it afterwards, but nothing else of that time is lost", async () => {
    await store(past({ date: START - 60 }), past({ id: 8, date: START - 30, state: 0 }));
    const before = stored(app);
    await send(58);
    await send(30, 0);
    expect(changedTables(app, before)).toEqual(["samples"]);
    await send(10, 1);
    await send(45, 2);
    expect(await lines()).toEqual([
      "-60 web 1 process is not running",
      "-45 web 2 does not exist",
      "-30 web 0 process is not running",
      "-10 web 1 does not exist",
    ]);
  });

  test("unless it is of another check, state or time", async () => {
    await store(past({ date: START - 60 }));
    await send(66);
    await send(60, 2);
    expect(await lines()).toHaveLength(3);
  });
});

describe("a failure that was open on the other server", () => {
  test("is open here, and ends by what the agent reports", async () => {
    await store(past({ date: START - 60 }));
    expect(await eventsOf({ active: 1 })).toHaveLength(1);
    app.clock.step(30);
    await send(-20, 0, 30);
    expect(await eventsOf({ active: 1 })).toEqual([]);
  });

  test("ends with the next report if its service is gone, or if it was an outage", async () => {
    const outage = { service: "Monit", servicetype: 5, eventtype: 1_048_576 };
    await store(past({ service: "old" }), past({ id: 8, ...outage }));
    expect(await eventsOf({ active: 1 })).toHaveLength(2);
    app.clock.step(30);
    await app.report({ id: "a", hostname: "alpha", services: [WEB], at: START + 30 });
    expect(await eventsOf({ active: 1 })).toEqual([]);
  });
});

describe("what is not stored", () => {
  test("events that are older than Muster keeps events", async () => {
    await admin.post("/api/1/admin/settings/update", { eventdays: 9 });
    expect(await missing(past(), past({ id: 8, date: START - DAY }))).toEqual({
      missing: [8],
      present: 0,
      expired: 1,
    });
    expect(await store(past(), past({ id: 8, date: START - DAY }))).toEqual({ host: 1, stored: 1 });
  });

  test("asking stores nothing, not even the name of a service", async () => {
    const before = stored(app);
    expect(await missing(past({ service: "new" }))).toEqual({ missing: [7], present: 0, expired: 0 });
    expect(changedTables(app, before)).toEqual([]);
  });

  test.each([
    ["a host that is not here", { agentid: "b" }, 404, "object.unknown"],
    ["an event of the future", { events: [past(), past({ date: START + 1 })] }, 400, "argument.invalid"],
    ["an unknown state", { events: [past({ state: 3 })] }, 400, "argument.invalid"],
    ["a field that is not known", { events: [past({ acton: 1 })] }, 400, "argument.unknown"],
    ["no events", { events: [] }, 400, "argument.invalid"],
    ["too many", { events: Array.from({ length: 201 }, (_, id) => past({ id })) }, 400, "argument.invalid"],
  ])("%s", async (_what, fields, status, code) => {
    const request = { agentid: "a", events: [past()], ...fields };
    const { json } = await expectRefusal(app, () => admin.post(STORE, request), status, code);
    if (status === 400) expect(json.error).toContain("events");
  });
});
