import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

appOfEachTest();

const EVENTS = "/api/1/reports/events";
const failing = [{ name: "web", status: 512 }];

/** Event 1 is an active error, 2 a change, and 3 an error that is over. */
async function threeEvents() {
  const app = new TestApp();
  await app.report({
    services: failing,
    event: { service: "web", action: 2, message: "process is not running" },
  });
  await app.report({ services: failing, event: { service: "web", id: 1, state: 2, collectedUsec: 1 } });
  await app.report({ services: failing, event: { service: "gone", state: 1 } });
  return { app, user: await app.user() };
}

test("get shows the event in words, with its notes in their order", async () => {
  const { app, user } = await threeEvents();
  await user.post(`${EVENTS}/note`, { id: 1, message: "looking" });
  app.clock.step(60);
  await (await app.admin()).post(`${EVENTS}/note`, { id: 1, message: "found: æøå\n<b>" });
  const reply = await user.get(`${EVENTS}/get`, { id: 1 });
  expect(reply.json).toEqual({
    id: 1,
    hostid: 1,
    host: "host-1",
    date: START,
    servicename: "web",
    servicetype: "Process",
    event: "Nonexist",
    eventstate: 1,
    action: "Restart",
    message: "process is not running",
    active: 1,
    dismissed: 0,
    serviceid: 1,
    limitid: 0,
    severity: 0,
    since: START,
    ended: 0,
    acknowledged: null,
    muted: null,
    note: [
      { date: START, uname: "user", message: "looking" },
      { date: START + 60, uname: "admin", message: "found: æøå\n<b>" },
    ],
  });
  expect((await user.post(`${EVENTS}/get`, { id: 1 }, { CSRFToken: "" })).json).toEqual(reply.json);
});

const WORDS: readonly [event: object, words: object][] = [
  [{ id: 1_048_576 }, { event: "Heartbeat" }],
  [{ id: 6 }, { event: "Resource, Timeout" }],
  [
    { id: 16_384, action: 7, serviceType: 4 },
    { event: "ICMP", action: "Monitor", servicetype: "Remote Host" },
  ],
  [
    { id: 1_073_741_824, action: 0, serviceType: 8 },
    { event: "Exist", action: "Ignored", servicetype: "Network" },
  ],
  [
    { state: 0, action: 6, serviceType: 0 },
    { eventstate: 0, action: "Start", servicetype: "Filesystem" },
  ],
  [
    { state: 2, action: 5 },
    { eventstate: 2, action: "Unmonitor" },
  ],
  [
    { state: 3, action: 4 },
    { eventstate: 0, action: "Exec" },
  ],
];
for (const [event, words] of WORDS)
  test(`${JSON.stringify(event)} reads ${JSON.stringify(words)}`, async () => {
    await app.report({ event: { service: "x", ...event } });
    expect((await (await app.user()).get(`${EVENTS}/get`, { id: 1 })).json).toMatchObject(words);
  });

test("an event of a state that no agent knows today is not shown as another than the contract's three", async () => {
  await app.report({ event: { service: "x", state: 5 } });
  const states = app.rows<{ state: number }>("select state from events").map(({ state }) => state);
  expect(states.filter((state) => ![0, 1, 2].includes(state))).toEqual([]);
});

describe("dismiss", () => {
  for (const method of ["get", "post"] as const)
    test(`by ${method} takes an active error off the list of active=2, and is answered again the same`, async () => {
      const { app, user } = await threeEvents();
      const before = stored(app);
      for (let i = 0; i < 2; i++) {
        const reply = await user[method](`${EVENTS}/dismiss`, { id: 1 });
        expect([reply.status, reply.json]).toEqual([200, {}]);
      }
      expect(changedTables(app, before)).toEqual(["events"]);
      expect((await user.get(`${EVENTS}/list`, { active: 2 })).json.totalRecords).toBe(0);
      expect((await user.get(`${EVENTS}/list`, { active: 1 })).json.records).toMatchObject([
        { id: 1, active: 1, dismissed: 1 },
      ]);
    });

  const WRONG: readonly [id: string | string[], status: number, code: string, why: string][] = [
    ["2", 400, "argument.invalid", "a change"],
    ["3", 400, "argument.invalid", "an error that is over"],
    ["9", 404, "object.unknown", "no event"],
    [["1", "2"], 400, "argument.invalid", "one of several"],
    [["1", "9"], 404, "object.unknown", "one of several"],
  ];
  for (const [id, status, code, why] of WRONG)
    test(`of ${id} is answered ${status} and dismisses nothing: ${why}`, async () => {
      const { app, user } = await threeEvents();
      await expectRefusal(app, () => user.post(`${EVENTS}/dismiss`, { id }), status, code);
    });

  test("of several at once", async () => {
    const { app, user } = await threeEvents();
    await app.report({ services: [{ name: "web", status: 514 }], event: { service: "web", id: 2 } });
    expect((await user.post(`${EVENTS}/dismiss`, { id: [1, 4] })).status).toBe(200);
    expect(app.rows("select id from events where dismissed = true")).toEqual([{ id: 1 }, { id: 4 }]);
  });

  test("of an error that ended since is answered 200 if it was dismissed before", async () => {
    const { app, user } = await threeEvents();
    await user.post(`${EVENTS}/dismiss`, { id: 1 });
    await app.report({ services: [], event: null });
    expect((await user.post(`${EVENTS}/dismiss`, { id: 1 })).status).toBe(200);
  });
});

describe("note", () => {
  test("is stored under the writer's name, and the event says that it has one", async () => {
    const { app, user } = await threeEvents();
    const before = stored(app);
    const reply = await user.post(`${EVENTS}/note`, { id: 2, message: "was me" });
    expect([reply.status, reply.json]).toEqual([200, { id: 1 }]);
    expect(changedTables(app, before).filter((table) => table !== "sqlite_sequence")).toEqual([
      "event_notes",
      "events",
    ]);
    const { records } = (await user.get(`${EVENTS}/list`)).json;
    const noted = records.map(({ id, note }: { id: number; note: number }) => [id, note]);
    expect(noted.sort()).toEqual([
      [1, 0],
      [2, 1],
      [3, 0],
    ]);
  });

  const WRONG: readonly [fields: Record<string, string>, status: number, code: string][] = [
    [{ id: "9", message: "x" }, 404, "object.unknown"],
  ];
  for (const [fields, status, code] of WRONG)
    test(`${JSON.stringify(fields).slice(0, 40)} is answered ${status}`, async () => {
      const { app, user } = await threeEvents();
      await expectRefusal(app, () => user.post(`${EVENTS}/note`, fields), status, code);
    });
});

for (const path of ["get", "dismiss"])
  test(`${path} of an event that is not there is answered 404`, async () => {
    const { app, user } = await threeEvents();
    await expectRefusal(app, () => user.get(`${EVENTS}/${path}`, { id: 99 }), 404, "object.unknown");
  });

describe("the summary", () => {
  const SUMMARY = `${EVENTS}/summary`;

  test("has 144 samples of ten minutes per label, of zero where nothing was", async () => {
    const { json } = await (await new TestApp().user()).get(SUMMARY);
    expect([json.datefrom, json.dateto]).toEqual([START - 86_400, START]);
    expect(json.events.map(({ label }: { label: string }) => label)).toEqual([
      "Failed",
      "Changed",
      "Succeeded",
    ]);
    for (const { data } of json.events) {
      expect(data).toHaveLength(144);
      expect(data[0]).toEqual([START - 86_400, 0]);
      expect(data[143]).toEqual([START - 600, 0]);
    }
  });

  test("counts each event of the last 24 hours once, in its ten minutes", async () => {
    const AGES = [86_401, 86_400, 85_801, 85_800, 600, 599, 1];
    for (const [i, age] of AGES.entries())
      await app.report({
        event: { service: "x", state: i % 3, collectedSec: START - age, collectedUsec: i },
      });
    const { json } = await (await app.user()).get(SUMMARY);
    const counted = json.events.flatMap(({ label, data }: { label: string; data: [number, number][] }) =>
      data.filter(([, n]) => n > 0).map(([at, n]) => `${label} ${START - at} ${n}`),
    );
    expect(counted.sort()).toEqual([
      "Changed 600 1",
      "Changed 86400 1",
      "Failed 600 1",
      "Failed 86400 1",
      "Succeeded 600 1",
      "Succeeded 85800 1",
    ]);
  });

  test("counts an event of this very second", async () => {
    await app.report({ event: { service: "x" } });
    const { json } = await (await app.user()).get(SUMMARY);
    expect(json.events[0].data[143]).toEqual([START - 600, 1]);
  });
});

describe("the failure that an error reports", () => {
  test("began with it, lasts, and ends with its success", async () => {
    const { app, user } = await threeEvents();
    const failure = async (id: number) => {
      const { since, ended, serviceid } = (await user.get(`${EVENTS}/get`, { id })).json;
      return [serviceid, since, ended];
    };
    app.clock.step(90);
    expect(await failure(1)).toEqual([1, START, 0]);
    await app.report({
      services: [{ name: "web" }],
      event: { service: "web", state: 0, collectedSec: START + 90 },
    });
    expect(await failure(1)).toEqual([1, START, START + 90]);
    expect(await failure(4)).toEqual([1, 0, 0]);
    const { records } = (await user.get(`${EVENTS}/list`, { sort: "date", dir: "asc" })).json;
    expect(records.map(({ id, since, ended }: Record<string, number>) => [id, since, ended])).toEqual([
      [1, START, START + 90],
      [2, 0, 0],
      [3, START, expect.any(Number)],
      [4, 0, 0],
    ]);
  });

  test("began with the first error, when a restarted agent repeats it", async () => {
    const { app, user } = await threeEvents();
    app.clock.step(600);
    await app.report({
      services: failing,
      incarnation: START + 500,
      at: START + 600,
      event: { service: "web", message: "still not running", collectedSec: START + 600 },
    });
    const { records } = (await user.get(`${EVENTS}/list`, { active: 1 })).json;
    expect(records).toMatchObject([
      { event: "still not running", date: START + 600, since: START, ended: 0 },
    ]);
  });
});
