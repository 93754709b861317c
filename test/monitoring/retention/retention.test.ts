import { describe, expect, test } from "bun:test";
import { deliveryRetention } from "../../../src/alerting/notifications/deliveries.service.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import type { SettingName } from "../../../src/platform/settings/settings.definitions.ts";
import { freePages } from "../../../src/platform/storage/size.repository.ts";
import { type AgentXml, processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";

freshAppOfEachTest();

const DAY = 86_400;
const HOUR = 3600;

function retentionOf({ db, settings, clock }: TestApp): Retention {
  return new Retention(db, settings, clock, { rules: [deliveryRetention(db)] });
}

/** Deletes everything that has expired. @returns how many steps it took */
function runToEnd(retention: Retention): number {
  for (let steps = 1; steps <= 1000; steps++) if (!retention.step()) return steps;
  throw new Error("retention does not end");
}

function clean(app: TestApp): void {
  runToEnd(retentionOf(app));
}

/** A message of a host that began an hour before START. */
function report(app: TestApp, message: AgentXml = {}): Promise<Response> {
  const services = [{ name: "web", body: processXml() }];
  return app.report({ services, at: app.clock.now(), incarnation: START - HOUR, ...message });
}

function failure(state: number, message = ""): AgentXml {
  return {
    services: [{ name: "web", status: state === 1 ? 512 : 0, body: processXml() }],
    event: { service: "web", state, message },
  };
}

/** The counters of hosts and services, and what they count. */
function expectCountersRight(app: TestApp): void {
  expect(app.rows("select id, events from hosts order by id")).toEqual(
    app.rows(
      "select id, (select count(*) from events where host_id = hosts.id) as events from hosts order by id",
    ),
  );
  const counted =
    "(select count(*) from events e where e.host_id = services.host_id and e.name_id = services.name_id)";
  expect(app.rows("select id, events from services")).toEqual(
    app.rows(`select id, ${counted} as events from services`),
  );
}

test("nothing goes that is not past its time", async () => {
  await report(app, failure(1));
  app.clock.step(30);
  await report(app, failure(0));
  app.pass(100);
  await report(app, { services: [] });
  app.db.$client.run("insert into history_blocks values (1, 0, 0, x'00')");
  app.db.$client.run(`update history_blocks set start = ${START - HOUR}`);
  const before = stored(app);
  clean(app);
  expect(changedTables(app, before)).toEqual([]);
});

describe("blocks of history", () => {
  const KINDS: readonly [resolution: number, span: number, setting: SettingName][] = [
    [0, HOUR, "historyraw"],
    [300, HOUR, "historyfiveminutes"],
    [3600, DAY, "historyhourly"],
  ];
  for (const [resolution, span, setting] of KINDS)
    test(`of resolution ${resolution} go as ${setting} says, once all of their time is past`, async () => {
      await report(app);
      for (const [, , name] of KINDS) app.settings.set(name, name === setting ? 5 : 3650);
      app.settings.set("rolledthrough", START - HOUR);
      const edge = START - 5 * DAY;
      const starts = [edge - 10 * DAY, edge - span - 1, edge - span, edge - 1, edge, START - span];
      for (const [of] of KINDS)
        for (const start of starts)
          app.db.$client.run("insert into history_blocks values (1, ?, ?, x'00')", [of, start]);
      clean(app);
      const left = (of: number) =>
        app
          .rows<{ start: number }>(`select start from history_blocks where resolution = ${of} order by start`)
          .map(({ start }) => start);
      for (const [of] of KINDS) expect(left(of)).toEqual(of === resolution ? starts.slice(2) : starts);
    });
});

describe("events", () => {
  test("older than eventdays go with their notes, and the counters follow", async () => {
    app.settings.set("eventdays", 10);
    await report(app, failure(1, "old"));
    const client = await app.user();
    const note = await client.post("/api/1/reports/events/note", { id: 1, message: "seen" });
    expect(note.status).toBe(200);
    app.clock.step(30);
    await report(app, failure(0, "old"));
    await app.report({ id: "agent-2", hostname: "other", ...failure(1, "old"), at: START });
    app.clock.step(9 * DAY);
    await report(app, failure(1, "new"));
    app.clock.step(30);
    await report(app, failure(0, "new"));
    app.clock.step(DAY + 1);
    clean(app);
    expect(app.rows("select host_id, message from events order by id")).toEqual([
      { host_id: 2, message: "old" },
      { host_id: 1, message: "new" },
      { host_id: 1, message: "new" },
    ]);
    expect(app.rows("select id from event_notes")).toEqual([]);
    expectCountersRight(app);
    // Counters of the cache must not come back.
    await report(app, failure(1, "newest"));
    expectCountersRight(app);
  });

  test("go at the second, not before", async () => {
    app.settings.set("eventdays", 1);
    await report(app, failure(0));
    app.clock.step(DAY);
    clean(app);
    expect(app.rows("select id from events")).toHaveLength(1);
    app.clock.step(1);
    clean(app);
    expect(app.rows("select id from events")).toHaveLength(0);
    expectCountersRight(app);
  });

  test("of a failure that is still open stay, and it ends as if they were new", async () => {
    app.settings.set("eventdays", 1);
    await report(app, failure(1));
    app.clock.step(400 * DAY);
    clean(app);
    expect(app.rows("select date, active from events")).toEqual([{ date: START, active: 1 }]);
    expect(app.rows("select started_at, ended_at from downtime_intervals")).toEqual([
      { started_at: START, ended_at: null },
    ]);
    await report(app, failure(0));
    expect(app.rows("select started_at, ended_at from downtime_intervals")).toEqual([
      { started_at: START, ended_at: START + 400 * DAY },
    ]);
    clean(app);
    // The downtime reaches into the time that is kept, and moments of that time show the error.
    expect(app.rows("select date, state, active from events")).toEqual([
      { date: START, state: 1, active: 0 },
      { date: START + 400 * DAY, state: 0, active: 0 },
    ]);
    expect(app.rows("select id from downtime_intervals")).toHaveLength(1);
    expectCountersRight(app);
    app.clock.step(DAY + 1);
    clean(app);
    expect(app.rows("select id from events union all select id from downtime_intervals")).toEqual([]);
    expectCountersRight(app);
  });

  test("of a failure go but for the last error before eventdays", async () => {
    app.settings.set("eventdays", 10);
    for (let day = 0; day < 15; day++) {
      await report(app, failure(1));
      app.clock.step(DAY);
    }
    clean(app);
    const days = app.rows<{ date: number }>("select date from events order by date");
    expect(days.map(({ date }) => (date - START) / DAY)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    expectCountersRight(app);
  });

  test("of a failure go but for the agent's error, although Muster opened the failure at a later time", async () => {
    app.settings.set("eventdays", 1);
    const red: AgentXml = { services: [{ name: "web", status: 512, body: processXml() }] };
    await report(app);
    app.clock.step(60);
    await report(app, red);
    app.clock.step(60);
    await report(app, red);
    app.clock.step(60);
    await report(app, { ...red, event: { service: "web", state: 1, collectedSec: START + 30 } });
    app.clock.step(2 * DAY);
    await report(app, failure(0));
    expect(app.rows("select date, collected_usec, state from events order by date")).toEqual([
      { date: START + 30, collected_usec: expect.any(Number), state: 1 },
      { date: START + 60, collected_usec: -1, state: 1 },
      { date: START + 180 + 2 * DAY, collected_usec: expect.any(Number), state: 0 },
    ]);
    clean(app);
    expect(app.rows("select date, state from events order by date")).toEqual([
      { date: START + 30, state: 1 },
      { date: START + 180 + 2 * DAY, state: 0 },
    ]);
    expectCountersRight(app);
  });
});

describe("time lines", () => {
  test("lose what ended before eventdays, and keep what is open or reaches into them", async () => {
    app.settings.set("eventdays", 5);
    await report(app);
    const edge = START - 5 * DAY;
    const spans: [number, number | null][] = [
      [edge - 100, edge - 1],
      [edge - 100, edge],
      [edge - 100, START],
      [edge - 100, null],
      [edge + 1, edge + 2],
    ];
    for (const [from, to] of spans) {
      app.db.$client.run(
        "insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at) values (1, 1, 2, ?, ?)",
        [from, to],
      );
      for (const host of [1, null])
        app.db.$client.run(
          "insert into excluded_intervals (host_id, reason, started_at, ended_at) values (?, 'off', ?, ?)",
          [host, from, to],
        );
    }
    for (const date of [edge - 1, edge, START])
      app.db.$client.run(
        "insert into silent_recoveries (host_id, name_id, event_type, date) values (1, 1, 2, ?)",
        [date],
      );
    clean(app);
    const left = (table: string, where = "1") =>
      app.rows<{ a: number; b: number }>(
        `select started_at as a, ended_at as b from ${table} where ${where} order by id`,
      );
    const kept = spans.slice(1).map(([a, b]) => ({ a, b }));
    expect(left("downtime_intervals") as unknown[]).toEqual(kept);
    expect(left("excluded_intervals", "host_id = 1") as unknown[]).toEqual(kept);
    expect(left("excluded_intervals", "host_id is null") as unknown[]).toEqual(kept);
    expect(app.rows("select date from silent_recoveries")).toEqual([{ date: edge }, { date: START }]);
  });

  test("a service that vanished goes once its time is past and no event of it is left", async () => {
    for (const name of ["eventdays", "historyraw", "historyfiveminutes", "historyhourly"] as const)
      app.settings.set(name, 2);
    const body = processXml();
    const names = ["gone", "told", "here"];
    await report(app, { services: names.map((name) => ({ name, body })) });
    await report(app, {
      services: [
        { name: "told", status: 512, body },
        { name: "here", body },
      ],
      event: { service: "told" },
    });
    // Its failure ends as it vanishes; an event of it is younger than that.
    app.clock.step(60);
    await report(app, { services: [{ name: "here", body }] });
    app.clock.step(DAY);
    await report(app, {
      services: [{ name: "here", body }],
      event: { service: "told", state: 2, id: 128 },
    });
    app.clock.step(DAY + 1);
    clean(app);
    const left = () =>
      app
        .rows<{ name: string }>(
          "select name from services join names on names.id = name_id order by services.id",
        )
        .map(({ name }) => name);
    expect(left()).toEqual(["told", "here"]);
    expect(app.rows("select distinct service_id from statistics")).toEqual([
      { service_id: 2 },
      { service_id: 3 },
    ]);
    app.clock.step(DAY);
    clean(app);
    expect(left()).toEqual(["here"]);
    expect(app.rows("select service_id from excluded_intervals")).toEqual([]);
    expectCountersRight(app);
  });
});

test("a service that vanished stays as long as values of it, with which it returns", async () => {
  app.settings.set("eventdays", 2);
  const service = { name: "gone", body: processXml({ cpu: 7 }) };
  await report(app, { services: [service] });
  app.clock.step(60);
  await report(app, { services: [] });
  app.clock.step(100 * DAY);
  while (app.muster.compaction.step());
  clean(app);
  const values = async () => {
    const period = { datefrom: START, dateto: START + HOUR };
    const fields = { hostid: 1, servicename: "gone", type: 8, ...period };
    const { json } = await (await app.user()).get("/api/1/reports/history/get", fields);
    return json.series.map(({ serviceid, mean }: { serviceid: number; mean: number[] }) => [serviceid, mean]);
  };
  expect(await values()).toEqual([[1, [7]]]);
  await report(app, { services: [service] });
  expect(await values()).toEqual([[1, [7]]]);
  app.settings.set("historyhourly", 90);
  await report(app, { services: [] });
  app.clock.step(90 * DAY + 1);
  clean(app);
  expect(app.rows("select id from services")).toEqual([]);
});

describe("notes of status pages", () => {
  const notes = () =>
    app.rows<{ text: string }>("select text from public_notes order by id").map(({ text }) => text);

  test("go once they ended before eventdays, and what stands stays, however old it is", async () => {
    app.settings.set("eventdays", 10);
    await report(app);
    const chief = await app.admin();
    const create = (text: string) => chief.post("/api/1/publicnotes/create", { hostid: 1, text });
    for (const text of ["first", "second", "third"]) await create(text);
    app.clock.step(10 * DAY);
    clean(app);
    expect(notes()).toEqual(["first", "second", "third"]);
    app.clock.step(HOUR);
    clean(app);
    expect(notes()).toEqual(["third"]);
  });

  test("are looked at in steps of 500", async () => {
    await report(app);
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
       insert into public_notes (host_id, text, uname, created_at, ended_at)
       select 1, i, 'admin', i, case when i % 3 = 0 then null else i end from n`,
    );
    const retention = retentionOf(app);
    const deleted: number[] = [];
    for (let [left, more] = [1200, true]; more; ) {
      more = retention.step();
      if (notes().length < left) deleted.push(left - notes().length);
      left = notes().length;
    }
    // Two of three in 500, 500 and 200 notes.
    expect(deleted).toEqual([334, 333, 133]);
    expect(notes()).toHaveLength(400);
  });
});

test("sessions that ended are deleted, others stay", async () => {
  await app.user();
  app.clock.step(20 * 60);
  await app.admin();
  app.clock.step(11 * 60);
  expect(app.rows("select user_id from sessions")).toHaveLength(2);
  clean(app);
  expect(app.rows("select uname from sessions join users on users.id = user_id")).toEqual([
    { uname: "admin" },
  ]);
});

describe("a step", () => {
  async function appWithOldEvents(count: number): Promise<TestApp> {
    const app = new TestApp();
    await report(app);
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message)
       select 1, 1, 3, i, i, 0, 2, 0, 1, '' from n`,
    );
    app.db.$client.run(`update hosts set events = ${count}`);
    app.db.$client.run(`update services set events = ${count} where name_id = 1`);
    app.recount();
    return app;
  }

  test("deletes at most 100 events, the oldest first, and counts along", async () => {
    const app = await appWithOldEvents(250);
    const retention = retentionOf(app);
    const left: number[] = [];
    for (let more = true; more; ) {
      more = retention.step();
      const n = app.rows<{ n: number }>("select count(*) as n from events")[0]?.n ?? -1;
      if (n !== (left.at(-1) ?? 250)) left.push(n);
      if (n > 0) expect(app.rows("select min(date) as d from events")).toEqual([{ d: 251 - n }]);
      expectCountersRight(app);
    }
    expect(left).toEqual([150, 50, 0]);
  });

  test("rests for ten minutes once nothing is left", async () => {
    const app = await appWithOldEvents(1);
    const retention = retentionOf(app);
    runToEnd(retention);
    app.db.$client.run(
      "insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message) values (1, 1, 3, 1, 1, 0, 2, 0, 1, '')",
    );
    app.clock.step(599);
    expect(retention.step()).toBe(false);
    expect(app.rows("select id from events")).toHaveLength(1);
    app.clock.step(1);
    expect(retention.step()).toBe(true);
    runToEnd(retention);
    expect(app.rows("select id from events")).toHaveLength(0);
  });

  test("rests no longer because the clock is set back", async () => {
    const app = await appWithOldEvents(0);
    app.clock.step(365 * DAY);
    const retention = retentionOf(app);
    runToEnd(retention);
    app.clock.step(-365 * DAY);
    app.db.$client.run(
      "insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message) values (1, 1, 3, 1, 1, 0, 2, 0, 1, '')",
    );
    runToEnd(retention);
    expect(app.rows("select id from events")).toEqual([]);
  });

  test("gives space back while more than a twentieth of the file is empty, at most 500 pages at once", async () => {
    await report(app);
    app.db.$client.run(
      "insert into history_blocks with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select 1, 0, i, zeroblob(8000) from n",
    );
    const full = freePages(app.db).total;
    app.db.$client.run("delete from history_blocks where start > 500");
    const retention = retentionOf(app);
    let before = freePages(app.db);
    expect(before.free).toBeGreaterThan(2000);
    for (let steps = 0; steps < 30; steps++) {
      retention.step();
      const after = freePages(app.db);
      expect(before.total - after.total).toBeLessThanOrEqual(510);
      before = after;
    }
    expect(before.total).toBeLessThan(full / 2);
    expect(before.free).toBeLessThanOrEqual(500);
  });

  test("keeps a twentieth of a larger file for new rows, and gives back what is empty beyond it", async () => {
    await report(app);
    app.db.$client.run(
      `insert into history_blocks with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
        select 1, 0, ${START} + i, zeroblob(8000) from n`,
    );
    app.db.$client.run(`delete from history_blocks where start > ${START} + 3700`);
    const share = () => freePages(app.db).free / freePages(app.db).total;
    expect(freePages(app.db).free).toBeGreaterThan(1000);
    expect(share()).toBeGreaterThan(0.05);
    expect(share()).toBeLessThan(0.1);
    const retention = retentionOf(app);
    for (let steps = 0; steps < 5; steps++) retention.step();
    expect(share()).toBeLessThanOrEqual(0.05);
    expect(share()).toBeGreaterThan(0);
    expect(app.rows("select start from history_blocks")).toHaveLength(3700);
  });
});

test("samples that could never be packed go when their time is over, and only those", async () => {
  await report(app);
  app.clock.step(2 * DAY);
  await report(app);
  app.settings.set("historyraw", 1);
  clean(app);
  expect(app.rows("select at from samples")).toEqual([{ at: START + 2 * DAY }]);
});
