/** A message that passes more limits than one transaction opens failures for. */
import { expect, test } from "bun:test";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

const SPACE = 18;
const LIMITS = 10;
const SERVICES = 55;
const ALL = LIMITS * SERVICES;
/** As MAX_TURNS in src/monitoring/limits/limit-evaluation.service.ts. */
const MOST = 200;

const eventsOf = (app: TestApp) => app.rows<{ n: number }>("select count(*) as n from events")[0]?.n ?? -1;

async function withLimits(): Promise<TestApp> {
  const app = new TestApp();
  const admin = await app.admin();
  for (let i = 0; i < LIMITS; i++)
    await admin.post("/api/1/limits/create", { name: `limit ${i}`, statistics: [SPACE], critical: 50 + i });
  return app;
}

function send(app: TestApp, percent: number): Promise<Response> {
  const services = Array.from({ length: SERVICES }, (_, i) => ({
    name: `disk ${i}`,
    type: 0,
    body: filesystemXml({ percent }),
  }));
  return app.report({ at: app.clock.now(), incarnation: START - 60, poll: 60, services });
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

/** Sends a message that passes all limits, and kills Muster right after its commit: what is only in memory is gone. */
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
  // A guard against hanging only.
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
