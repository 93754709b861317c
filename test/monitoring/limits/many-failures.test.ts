/** A message that exceeds more limits than one transaction opens failures for. */
import { describe, expect, test } from "bun:test";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { type AgentXml, filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const SPACE = 18;
const LIMITS = 10;
const SERVICES = 55;
const ALL = LIMITS * SERVICES;
/** As MAX_TURNS in src/monitoring/limits/limit-evaluation.service.ts. */
const MOST = 200;

const eventsOf = (app: TestApp) => app.rows<{ n: number }>("select count(*) as n from events")[0]?.n ?? -1;

async function withLimits(changes: object = {}): Promise<TestApp> {
  const app = new TestApp();
  const admin = await app.admin();
  for (let i = 0; i < LIMITS; i++) {
    const limit = { name: `limit ${i}`, statistics: [SPACE], critical: 50 + i, ...changes };
    expect((await admin.post("/api/1/limits/create", limit)).status).toBe(200);
  }
  return app;
}

function send(app: TestApp, percent: number, message: Partial<AgentXml> = {}): Promise<Response> {
  const services = Array.from({ length: SERVICES }, (_, i) => ({
    name: `disk ${i}`,
    type: 0,
    body: filesystemXml({ percent }),
  }));
  return app.report({ at: app.clock.now(), incarnation: START - 60, poll: 60, services, ...message });
}

/** How many events each transaction stored, as they come. */
function watchTransactions(app: TestApp): number[] {
  const stored: number[] = [];
  const { $client: client } = app.db;
  const plain = client.transaction.bind(client);
  let depth = 0;
  client.transaction = ((work: () => unknown) =>
    plain(() => {
      const before = depth++ === 0 ? eventsOf(app) : 0;
      try {
        return work();
      } finally {
        if (--depth === 0) stored.push(eventsOf(app) - before);
      }
    })) as typeof client.transaction;
  return stored;
}

/**
 * Sends a message that exceeds all limits, and kills Muster right after its commit: what is only in memory is gone.
 */
async function sendAndKill(app: TestApp): Promise<void> {
  const { $client: client } = app.db;
  const plain = client.transaction;
  let isKilled = false;
  client.transaction = ((work: () => unknown) => {
    if (isKilled) throw new Error("killed");
    const run = plain.call(client, work);
    const immediate = run.immediate.bind(run);
    const once = () => {
      const result = immediate();
      isKilled = eventsOf(app) > 0;
      return result;
    };
    return Object.assign(once, run, { immediate: once });
  }) as typeof client.transaction;
  await send(app, 95);
  app.queue.drain();
  client.transaction = plain;
  app.hostCache.forgetAll();
  expect(eventsOf(app)).toBe(MOST);
}

/** Lets the event loop turn until so many events are stored. */
async function until(app: TestApp, events: number): Promise<void> {
  // Only a guard against hanging.
  for (let turn = 0; eventsOf(app) < events && turn < 1000; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(eventsOf(app)).toBe(events);
}

async function expectAllOpen(app: TestApp): Promise<void> {
  const open = "select count(*) as n from downtime_intervals where ended_at is null and limit_id > 0";
  expect(app.rows(open)).toEqual([{ n: ALL }]);
  expect(app.rows("select distinct limit_level as level, led from services")).toEqual([{ level: 2, led: 0 }]);
  const { json } = await (await app.admin()).get("/api/1/status/hosts/get", { id: 1 });
  expect(json.records.host).toMatchObject({ led: 0, status: `0 out of ${SERVICES} services are available` });
  expect(examine(app.db, 0)).toEqual([]);
}

test("is stored and answered with the first of them, and the others open in steps after it", async () => {
  const app = await withLimits();
  const stored = watchTransactions(app);
  expect((await send(app, 95)).status).toBe(200);
  await until(app, ALL);
  expect(stored.filter((n) => n > 0)).toEqual([MOST, MOST, ALL - 2 * MOST]);
  expect(app.rows("select distinct date from events")).toEqual([{ date: app.clock.now() }]);
  await expectAllOpen(app);
  await send(app, 95);
  expect(eventsOf(app)).toBe(ALL);
});

test("opens as many a transaction of services that were there before", async () => {
  const app = await withLimits();
  await send(app, 1);
  app.clock.step(60);
  await send(app, 1);
  app.clock.step(60);
  const stored = watchTransactions(app);
  await send(app, 95);
  await until(app, ALL);
  expect(Math.max(...stored)).toBe(MOST);
  await expectAllOpen(app);
  app.clock.step(60);
  await send(app, 1);
  await until(app, 2 * ALL);
  expect(Math.max(...stored)).toBe(MOST);
  expect(app.rows("select distinct limit_level as level, led from services")).toEqual([{ level: 0, led: 2 }]);
  expect(examine(app.db, 0)).toEqual([]);
});

test("is completed by the next message when Muster ended in between, each failure once", async () => {
  const app = await withLimits();
  await sendAndKill(app);
  expect(examine(app.db, 0)).toEqual([]);
  app.clock.step(60);
  await send(app, 95);
  await until(app, ALL);
  await expectAllOpen(app);
});

test("opens no further failures when the next message is back within the limits", async () => {
  const app = await withLimits();
  await sendAndKill(app);
  app.clock.step(60);
  await send(app, 1);
  await until(app, 2 * MOST);
  expect(app.rows("select count(*) as n from events where state = 1")).toEqual([{ n: MOST }]);
  expect(app.rows("select count(*) as n from downtime_intervals where ended_at is null")).toEqual([{ n: 0 }]);
  expect(examine(app.db, 0)).toEqual([]);
});

test("of limits that are about a group end in steps when the host leaves it", async () => {
  await app.muster.groups.create("rack");
  const filter = { hostgroups: [1] };
  for (let i = 0; i < LIMITS; i++)
    await admin.post("/api/1/limits/create", {
      name: `limit ${i}`,
      statistics: [SPACE],
      critical: 50,
      filter,
    });
  await send(app, 95, { hostGroups: ["rack"] });
  await until(app, ALL);
  app.clock.step(60);
  const stored = watchTransactions(app);
  await send(app, 95, { hostGroups: [] });
  await until(app, 2 * ALL);
  expect(stored.filter((n) => n > 0)).toEqual([MOST, MOST, ALL - 2 * MOST]);
  expect(app.rows("select count(*) as n from limit_states")).toEqual([{ n: 0 }]);
  expect(app.rows("select distinct limit_level as level, led from services")).toEqual([{ level: 0, led: 2 }]);
  expect(examine(app.db, 0)).toEqual([]);
});

test("of limits that are about a group end when Muster ended in between, each once", async () => {
  await app.muster.groups.create("rack");
  const limit = { name: "limit", statistics: [SPACE], critical: 50, filter: { hostgroups: [1] } };
  for (let i = 0; i < LIMITS; i++) await admin.post("/api/1/limits/create", { ...limit, name: `limit ${i}` });
  await send(app, 95, { hostGroups: ["rack"] });
  await until(app, ALL);
  app.clock.step(60);
  await send(app, 95, { hostGroups: [] });
  app.queue.drain();
  app.hostCache.forgetAll();
  expect(eventsOf(app)).toBe(ALL + MOST);
  app.clock.step(60);
  await send(app, 95, { hostGroups: [] });
  await until(app, 2 * ALL);
  expect(app.rows("select count(*) as n from limit_states")).toEqual([{ n: 0 }]);
  expect(examine(app.db, 0)).toEqual([]);
});

describe("a host that goes down without values that limits need", () => {
  /** Seconds until a host of these tests is down. */
  const PATIENCE = 180;
  const OUTAGE = 1;
  /** By transactions, the failures that opened. */
  const steps = (stored: readonly number[]) => stored.filter((n) => n > 0);
  const missing = { missing: "warn" };

  function expectAllMissing(app: TestApp, failures: number, outages = 1): void {
    expect(eventsOf(app)).toBe(failures + outages);
    const open = "select count(*) as n from downtime_intervals where ended_at is null and limit_id > 0";
    expect(app.rows(open)).toEqual([{ n: failures }]);
    expect(app.rows("select distinct date from events where limit_id > 0")).toEqual([
      { date: START + PATIENCE },
    ]);
    expect(app.rows("select distinct limit_level as level from services")).toEqual([{ level: 1 }]);
    expect(examine(app.db, 0)).toEqual([]);
    app.pass(60);
    expect(eventsOf(app)).toBe(failures + outages);
  }

  test("is declared down with the first of its failures, and the others open in steps after it", async () => {
    const app = await withLimits(missing);
    await send(app, 1);
    const stored = watchTransactions(app);
    app.pass(PATIENCE + 10);
    expect(steps(stored)).toEqual([MOST + OUTAGE, MOST, ALL - 2 * MOST]);
    expectAllMissing(app, ALL);
  });

  test("has its failures opened at the next start when Muster ended in between", async () => {
    const app = await withLimits(missing);
    await send(app, 1);
    app.pass(PATIENCE);
    app.clock.step(1);
    app.heartbeat.tick();
    // The tick that declares it down does more work afterwards, as any tick does.
    const left = ALL + OUTAGE - eventsOf(app);
    expect(left).toBeGreaterThan(0);
    const next = new TestApp({ snapshot: app.snapshot() });
    expect(eventsOf(next)).toBe(ALL + OUTAGE - left);
    next.pass(5);
    expectAllMissing(next, ALL);
  });

  test("shares no transaction with another whose failures would be too many", async () => {
    const app = await withLimits(missing);
    const services = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        name: `disk ${i}`,
        type: 0,
        body: filesystemXml({ percent: 1 }),
      }));
    await send(app, 1, { id: "a", hostname: "a", services: services(15) });
    await send(app, 1, { id: "b", hostname: "b", services: services(15) });
    const stored = watchTransactions(app);
    app.pass(PATIENCE + 10);
    expect(steps(stored)).toEqual([15 * LIMITS + OUTAGE, 15 * LIMITS + OUTAGE]);
    expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 0 }, { heartbeat: 0 }]);
    expectAllMissing(app, 2 * 15 * LIMITS, 2);
  });

  test("has no more opened once it reports again", async () => {
    const app = await withLimits(missing);
    await send(app, 1);
    app.pass(PATIENCE);
    app.clock.step(1);
    app.heartbeat.tick();
    const open = () =>
      app.rows<{ n: number }>(
        "select count(*) as n from downtime_intervals where ended_at is null and limit_id > 0",
      )[0]?.n;
    expect(open()).toBeLessThan(ALL);
    await send(app, 1);
    for (let turn = 0; app.queue.length > 0 || open() !== 0; turn++) {
      expect(turn).toBeLessThan(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    app.pass(5);
    expect(open()).toBe(0);
    expect(examine(app.db, 0)).toEqual([]);
  });
});
