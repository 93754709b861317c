import { describe, expect, test } from "bun:test";
import { overdueHosts } from "../../../src/monitoring/heartbeat/heartbeat.repository.ts";
import { Heartbeat } from "../../../src/monitoring/heartbeat/heartbeat.service.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { type Expected, jump, type Line, ledger, pass, send } from "../../support/ledger.ts";

appOfEachTest();

const YEAR = 365 * 86_400;
const WEB = { name: "web" };
const OK = "All 1 services are available";
const UP: Expected = { status: 0, heartbeat: 1, led: 2, text: OK };

function declareDown(at: number, last: string, ...earlier: string[]): Expected {
  return {
    status: 1,
    heartbeat: 0,
    led: 0,
    text: `No report from Monit. Last report was 2026-01-05 ${last} UTC`,
    events: [`error 1048576 Monit @${at}`],
    down: [...earlier, `1048576 Monit ${at}..`],
    active: [`1048576 Monit @${at}`],
  };
}

const FIRST: Line = ["first message", send({ services: [WEB] }), UP];

ledger("a stall of Muster does not count against a host", [
  FIRST,
  ["Muster stood still for an hour", jump(3600), {}],
  ["the host has its full time again", pass(90), {}],
  ["but no more", pass(1), declareDown(3691, "12:00:00")],
]);

ledger("a down host is noticed however often Muster stalls: its deadline restarts once", [
  FIRST,
  ["a stall", jump(5), {}],
  ["listens for 5 s", pass(5), {}],
  ...Array.from({ length: 16 }, (): Line[] => [
    ["stands still for 5 s", jump(5), {}],
    ["listens for 5 s", pass(5), {}],
  ]).flat(),
  ["and 5 s more", pass(5), {}],
  ["that is too long", pass(1), declareDown(176, "12:00:00")],
]);

ledger("a host that reports in between has its full time after each stall", [
  FIRST,
  ...Array.from({ length: 5 }, (): Line[] => [
    ["a message after a minute", pass(60), {}],
    ["heard", send({ services: [WEB] }), {}],
    ["a stall", jump(60), {}],
    ["nearly too long", pass(89), {}],
    ["but heard", send({ services: [WEB] }), {}],
  ]).flat(),
]);

ledger("a stall of a few seconds changes nothing", [
  FIRST,
  ["86 s", pass(86), {}],
  ["3 s at once", jump(3), {}],
  ["90 s", pass(1), {}],
  ["late", pass(1), declareDown(91, "12:00:00")],
]);

ledger("a clock set forwards does not make a host silent", [
  FIRST,
  ["60 s", pass(60), {}],
  ["a year forwards", jump(365 * 86_400), {}],
  ["a message", send({ services: [WEB] }), {}],
  ["90 s", pass(90), {}],
]);

ledger("a clock set backwards neither makes a host silent nor lets it be silent for hours", [
  FIRST,
  ["60 s", pass(60), {}],
  ["an hour back", jump(-3600), {}],
  ["90 s", pass(90), {}],
  ["late", pass(1), declareDown(-3449, "12:00:00")],
]);

test("the silence of a host is not said to be negative where the clock was set back since its last report", async () => {
  await app.report({ services: [WEB] });
  jump(-3600)(app);
  app.pass(91);
  const [outage] = app.rows<{ message: string }>("select message from events");
  expect(outage?.message).toStartWith("No report from Monit for 90 seconds: ");
});

test("a report after the clock went back still ends the outage", async () => {
  await app.report({ services: [WEB] });
  app.pass(91);
  jump(-60)(app);
  await send({ services: [WEB] })(app);
  expect(app.rows("select heartbeat, led from hosts")).toEqual([{ heartbeat: 1, led: 2 }]);
  expect(app.rows("select id from events where active = true")).toEqual([]);
  expect(app.rows("select id from downtime_intervals where ended_at is null")).toEqual([]);
});

ledger("a silent host stays silent over a stall, and returns with its next message", [
  FIRST,
  ["late", pass(91), declareDown(91, "12:00:00")],
  ["stall", jump(600), {}],
  ["ticks", pass(200), {}],
  [
    "heard",
    send({ services: [WEB] }),
    { ...UP, events: ["success 1048576 Monit @891"], down: ["1048576 Monit 91..891"], active: [] },
  ],
]);

const OFF = "select reason, host_id as host, started_at as since, ended_at as until from excluded_intervals";

test("after a restart every active host has its full time, and the time Muster was off is noted", async () => {
  await app.report({ services: [WEB] });
  app.pass(30);
  app.heartbeat.stop();
  app.clock.step(7200);
  app.heartbeat.start();
  expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 30, until: START + 7230 }]);
  app.pass(90);
  expect(app.rows("select heartbeat, deadline from hosts")).toEqual([
    { heartbeat: 1, deadline: START + 7320 },
  ]);
  app.pass(1);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 0 }]);
});

test("after a crash the off time begins with the last message, not with the last note of being alive", async () => {
  app.pass(20);
  await app.report({ services: [WEB] });
  app.clock.step(1000);
  app.heartbeat.start();
  expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 20, until: START + 1020 }]);
});

test("after a crash without hosts the off time begins at most a minute early", () => {
  app.pass(150);
  app.clock.step(1000);
  app.heartbeat.start();
  expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 120, until: START + 1150 }]);
});

describe("the time that counts once the clock is right", () => {
  const uptime = async () => {
    const { json } = await (await app.admin()).get("/api/1/reports/uptime/budget", { range: 0 });
    return [json.up, json.down];
  };

  test("is all that follows where it was ahead", async () => {
    await app.report({ services: [WEB] });
    jump(1200)(app);
    app.pass(10);
    jump(-1200)(app);
    expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START, until: START + 10 }]);
    await app.report({ services: [WEB] });
    app.pass(60);
    expect(await uptime()).toEqual([60, 0]);
    jump(1200)(app);
    jump(-1200)(app);
    app.pass(20);
    expect(await uptime()).toEqual([80, 0]);
    jump(30)(app);
    expect(await uptime()).toEqual([80, 0]);
  });

  test("is all that follows where it was ahead until Muster started again", async () => {
    await app.report({ services: [WEB] });
    app.heartbeat.stop();
    app.clock.step(YEAR);
    startedHeartbeat(app, () => 0).stop();
    app.clock.step(-YEAR + 10);
    startedHeartbeat(app, () => 0).stop();
    app.clock.step(60);
    expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START, until: START + 10 }]);
    expect(await uptime()).toEqual([60, 0]);
  });

  test("is all that follows where it was ahead by a year, soon after it was ahead by minutes", async () => {
    await app.report({ services: [WEB] });
    for (const seconds of [300, YEAR]) {
      jump(seconds)(app);
      app.pass(10);
      jump(-seconds)(app);
    }
    for (let minutes = 0; minutes < 10; minutes++) {
      app.pass(60);
      await app.report({ services: [WEB] });
    }
    expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START, until: START + 10 }]);
    expect(await uptime()).toEqual([610, 0]);
  });

  test("is none while Muster is off after that, although a host reported last before it was set back", async () => {
    await app.report({ services: [WEB] });
    jump(1200)(app);
    await app.report({ services: [WEB] });
    jump(-1200)(app);
    app.pass(60);
    app.heartbeat.stop();
    app.clock.step(600);
    app.heartbeat.start();
    expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 60, until: START + 660 }]);
    expect(await uptime()).toEqual([60, 0]);
  });

  test("is all that came before it began years ago, as without a battery", async () => {
    await app.report({ services: [WEB] });
    app.pass(60);
    app.heartbeat.stop();
    app.clock.step(-5 * YEAR);
    app.heartbeat.start();
    app.pass(10);
    jump(5 * YEAR + 20)(app);
    expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 60, until: START + 90 }]);
    expect(await uptime()).toEqual([60, 0]);
  });
});

test("the very first start notes no off time", () => {
  expect(new TestApp().rows(OFF)).toEqual([]);
});

test("a start with a clock behind the last run's notes no off time and reports no host", async () => {
  await app.report({ services: [WEB] });
  app.pass(60);
  app.heartbeat.stop();
  app.clock.step(-86_400);
  app.heartbeat.start();
  app.pass(90);
  expect(app.rows(OFF)).toEqual([]);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 1 }]);
});

test("a stall is noted as off time, an ordinary tick is not", () => {
  app.pass(10);
  app.clock.step(3);
  app.heartbeat.tick();
  expect(app.rows(OFF)).toEqual([]);
  app.clock.step(4);
  app.heartbeat.tick();
  expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 13, until: START + 17 }]);
});

/** 2,501 hosts whose last report came in the same second. */
async function massOfHosts(app: TestApp): Promise<void> {
  await app.report({ id: "first" });
  const columns =
    "agent_id, created_at, hostname, poll, incarnation, deadline, lastmodified, status, stopped, heartbeat";
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
     insert into hosts (${columns}) select 'mass-' || i, created_at, 'mass-' || i, poll, incarnation, deadline,
     lastmodified, 0, 0, 1 from n, hosts where agent_id = 'first'`,
  );
  app.recount();
}

/** A heartbeat whose clock advances 4 ms each time it is read, beside the app's. */
function slowHeartbeat(app: TestApp): Heartbeat {
  let milliseconds = 0;
  return startedHeartbeat(app, () => (milliseconds += 4));
}

/** A heartbeat as after a start, beside the app's. */
function startedHeartbeat(app: TestApp, monotonic: () => number): Heartbeat {
  const { db, clock, hostCache, events, settings, storage, muster } = app;
  const heartbeat = new Heartbeat({
    db,
    clock,
    hostCache,
    events,
    settings,
    storage,
    monotonic,
    limits: muster.limitEvaluation,
    log: muster.log,
  });
  heartbeat.start();
  return heartbeat;
}

const SILENT = "select count(*) as n from hosts where heartbeat = 0";

test("a mass outage is reported in parts, each host once, as of the tick at which all were overdue", async () => {
  await massOfHosts(app);
  const heartbeat = slowHeartbeat(app);
  for (let i = 0; i < 90; i++) {
    app.clock.step(1);
    expect(heartbeat.tick()).toBe(false);
  }
  app.clock.step(1);
  expect(heartbeat.tick()).toBe(true);
  const [some] = app.rows<{ n: number }>(SILENT);
  expect(some?.n).toBeGreaterThan(0);
  expect(some?.n).toBeLessThan(100);
  let steps = 1;
  do if (++steps % 20 === 0) app.clock.step(1);
  while (heartbeat.tick());
  expect(steps).toBeGreaterThan(2501 / 100);
  expect(app.rows(SILENT)).toEqual([{ n: 2501 }]);
  expect(
    app.rows("select count(*) as n, count(distinct host_id) as hosts, date from events group by date"),
  ).toEqual([{ n: 2501, hosts: 2501, date: START + 91 }]);
  expect(heartbeat.tick()).toBe(false);
});

test("a host that reports during a mass outage is not down, and one that stops then is down later", async () => {
  await massOfHosts(app);
  const heartbeat = slowHeartbeat(app);
  app.clock.step(2);
  heartbeat.tick();
  await app.report({ id: "late" });
  for (let i = 0; i < 89; i++) {
    app.clock.step(1);
    heartbeat.tick();
  }
  await app.report({ id: "mass-2500" });
  app.clock.step(2);
  while (heartbeat.tick())
    expect(app.rows("select 1 from hosts where agent_id = 'late' and heartbeat = 0")).toEqual([]);
  heartbeat.tick();
  expect(app.rows("select agent_id as agent from hosts where heartbeat = 1")).toEqual([
    { agent: "mass-2500" },
  ]);
  expect(app.rows("select date, count(*) as n from events group by date")).toEqual([
    { date: START + 91, n: 2500 },
    { date: START + 93, n: 1 },
  ]);
});

test("a stall during a mass silence gives those that are not reported yet their full time again", async () => {
  await massOfHosts(app);
  const heartbeat = slowHeartbeat(app);
  for (let i = 0; i < 91; i++) {
    app.clock.step(1);
    heartbeat.tick();
  }
  const before = app.rows(SILENT);
  app.clock.step(10);
  expect(heartbeat.tick()).toBe(false);
  expect(app.rows(SILENT)).toEqual(before);
  for (let i = 0; i < 91; i++) {
    app.clock.step(1);
    while (heartbeat.tick());
  }
  expect(app.rows(SILENT)).toEqual([{ n: 2501 }]);
  expect(app.rows("select count(*) as n, count(distinct host_id) as hosts from events")).toEqual([
    { n: 2501, hosts: 2501 },
  ]);
});

test("the overdue are asked for by an index, however many hosts there are", () => {
  const { prepare } = app.db.$client;
  const asked: string[] = [];
  Object.assign(app.db.$client, {
    prepare(this: unknown, sql: string, ...rest: unknown[]) {
      asked.push(sql);
      return Reflect.apply(prepare, app.db.$client, [sql, ...rest]);
    },
  });
  overdueHosts(app.db, START, 10);
  Object.assign(app.db.$client, { prepare });
  const plans = asked.flatMap((sql) =>
    app.db.$client.query<{ detail: string }, number[]>(`explain query plan ${sql}`).all(0, 1, 1),
  );
  expect(plans.map(({ detail }) => detail)).toEqual([
    "SEARCH hosts USING INDEX hosts_now (status=? AND deadline<?)",
  ]);
});

test("a host whose outage the database refuses to store does not keep others from being reported", async () => {
  for (const id of ["a", "b", "c"]) await app.report({ id });
  app.db.$client.run(
    `create trigger poison before update on hosts when new.agent_id = 'a' and new.heartbeat = 0
     begin select raise(abort, 'poisoned'); end`,
  );
  expect(() => app.pass(91)).not.toThrow();
  expect(app.rows("select agent_id as agent from hosts where heartbeat = 0 order by agent")).toEqual([
    { agent: "b" },
    { agent: "c" },
  ]);
});
