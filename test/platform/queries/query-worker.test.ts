/** Long queries on a thread of their own: the real thread on a real file. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rule } from "../../../src/alerting/rules/rules.repository.ts";
import type { Limit } from "../../../src/monitoring/limits/limit.ts";
import { NEW_LIMIT } from "../../../src/monitoring/limits/limit-content.ts";
import { queryWorkerUrl } from "../../../src/platform/assets.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { ApiError } from "../../../src/platform/http/errors.ts";
import { PreparedReply } from "../../../src/platform/http/prepared.ts";
import { inlineQueries } from "../../../src/platform/queries/queries.ts";
import { isSmall, QueryWorker, type QueryWorkerOptions } from "../../../src/platform/queries/query-worker.ts";
import { closeDatabase, sqliteClient } from "../../../src/platform/storage/open.ts";
import { type AllQueries, allQueries } from "../../../src/queries.ts";
import { processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(changes: Partial<QueryWorkerOptions<ReturnType<typeof allQueries>>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "muster-queries-"));
  const database = join(folder, "muster.db");
  const app = new TestApp({ database });
  await app.report({
    ...{ id: "a", hostname: "a.example.org", hostGroups: ["rack"], serviceGroups: { front: ["web"] } },
    services: [{ name: "web", status: 512, body: processXml() }],
    event: { service: "web" },
  });
  const queries = allQueries(app.db, app.settings, systemClock);
  const inline = inlineQueries(queries);
  let starts = 0;
  const worker = new QueryWorker({
    start: () => {
      starts++;
      return new Worker(queryWorkerUrl(), { argv: [JSON.stringify({ kind: "file", path: database })] });
    },
    queries,
    inline,
    isSmall: () => false,
    log: app.muster.log,
    ...changes,
  });
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => closeDatabase(app.db),
    () => worker.stop(),
  );
  return { app, worker, queries: worker.queries, inline, starts: () => starts };
}

const stubborn = () => new Worker(new URL("./stubborn.worker.ts", import.meta.url));

async function plain(answer: Promise<unknown>): Promise<unknown> {
  const given = await answer;
  return given instanceof PreparedReply ? given.value : given;
}

const EVENTS = {
  active: 0,
  results: 50,
  startindex: 0,
  sort: "date",
  dir: "desc",
} as const;
const HOSTS = { startindex: 0, sort: "hostname", dir: "asc" } as const;
const DAY = { range: 12, datefrom: 1000, dateto: 87_400 } as const;

const RULE: Rule = {
  ...{ id: 1, position: 1, name: "all", enabled: true, filter: {}, quietHours: null },
  ...{ delay: 0, repeat: 0, recovery: true, final: false, flapCount: 3, flapWindow: 10 },
  steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
};

const LIMIT: Limit = { ...NEW_LIMIT, id: 1, name: "load", statistics: [0], warning: 1 };

type Run = (queries: AllQueries) => Promise<unknown>;

/** Each query with arguments of its own: one that is missing here does not compile. */
const QUERIES: Readonly<Record<keyof AllQueries, Run>> = {
  hostList: (queries) => queries.hostList("all"),
  groupStatusList: (queries) => queries.groupStatusList("all"),
  hostGlance: (queries) => queries.hostGlance([1], "all"),
  groupList: (queries) => queries.groupList("all"),
  tagList: (queries) => queries.tagList("a", "all"),
  serviceGroupList: (queries) => queries.serviceGroupList("all"),
  map: (queries) => queries.map("id", "host", "all"),
  eventList: (queries) => queries.eventList(EVENTS, "all"),
  eventSummary: (queries) => queries.eventSummary("all"),
  search: (queries) => queries.search({ text: "a", results: 8 }, true, "all"),
  hostStatusList: (queries) => queries.hostStatusList(HOSTS, "all"),
  uptimeList: (queries) => queries.uptimeList(DAY, "json", "all"),
  uptimeOfServices: (queries) => queries.uptimeOfServices(1, DAY, "json", "all"),
  uptimeBars: (queries) => queries.uptimeBars({ hostId: 1, service: undefined, scope: "all" }, DAY, 24),
  rulePreview: (queries) => queries.rulePreview(RULE, 7, "all"),
  reportFigures: (queries) =>
    queries.reportFigures({ about: "all", scope: "all", window: { from: 1000, to: 87_400 }, target: 99.9 }),
  limitPreview: (queries) => queries.limitPreview(LIMIT, 7),
  history: (queries) => queries.history({ ...DAY, hostid: 1, points: 10 }, "json", "all"),
  eventChanges: (queries) => queries.eventChanges(1, "all"),
  forecastsToStore: (queries) => queries.forecastsToStore(1),
  forecastOfHost: (queries) => queries.forecastOfHost({ hostid: 1 }, "all"),
  forecastList: (queries) => queries.forecastList({ results: 50, startindex: 0 }, "all"),
  onCallNow: (queries) => queries.onCallNow(),
  onCallCalendar: (queries) => queries.onCallCalendar({ from: DAY.datefrom, to: DAY.dateto }),
  historyTop: (queries) => queries.historyTop({ type: [0], order: "desc", results: 3 }, "all"),
  historyCompare: (queries) =>
    queries.historyCompare({ ...DAY, hostid: [1], serviceid: [], type: [0], points: 10 }, "all"),
};

/** Both answers, begun and ended in the same second: some tell the time. */
async function resultsOf(run: Run, queries: AllQueries, inline: AllQueries) {
  for (;;) {
    const second = systemClock.now();
    const answers = { there: await plain(run(queries)), here: await plain(run(inline)) };
    if (systemClock.now() === second) return answers;
  }
}

test("every query gives the same as on the thread that asks", async () => {
  const { queries, inline, starts } = await setUp();
  expect(Object.keys(QUERIES).sort()).toEqual(Object.keys(queries).sort());
  for (const [name, run] of Object.entries(QUERIES)) {
    const { there, here } = await resultsOf(run, queries, inline);
    expect([name, there]).toEqual([name, here]);
  }
  expect(starts()).toBe(1);
});

test("tables come as files, from either thread the same", async () => {
  const { queries, inline } = await setUp();
  for (const given of [queries, inline]) {
    const csv = await given.uptimeList(DAY, "csv", "all");
    if (!(csv instanceof PreparedReply)) throw new Error("not ready to be sent");
    expect(new TextDecoder().decode(csv.body)).toStartWith(
      "id,name,active,uptime percent,downtime,events\r\n",
    );
    expect(csv.headers).toMatchObject({
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="uptime.csv"',
      "Cache-Control": "no-store",
    });
  }
});

test("what was acknowledged before a query is in its answer", async () => {
  const { app, queries } = await setUp();
  for (let i = 2; i < 10; i++) {
    await app.report({ id: `host ${i}`, hostname: `h${i}`, services: [] });
    expect(await plain(queries.hostStatusList(HOSTS, "all"))).toMatchObject({ totalRecords: i });
  }
});

test("a setting that was changed holds for the next query", async () => {
  const { app, queries } = await setUp();
  const begin = async () =>
    (await plain(queries.uptimeList({ range: 0 }, "json", "all"))) as { datefrom: number };
  app.settings.set("timezone", "Pacific/Kiritimati");
  const there = (await begin()).datefrom;
  app.settings.set("timezone", "Pacific/Midway");
  expect((await begin()).datefrom).not.toBe(there);
});

test("a refusal is the same as on the thread that asks", async () => {
  const { queries, inline } = await setUp();
  const refusal = async (given: AllQueries) => {
    const error = await given.uptimeOfServices(99, DAY, "json", "all").catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error("no refusal");
    return [error.status, error.code, error.message];
  };
  expect(await refusal(queries)).toEqual(await refusal(inline));
  expect((await refusal(queries))[0]).toBe(404);
});

test("the thread begins with the first query, and ends after some time without one", async () => {
  const { worker, queries, starts } = await setUp({ idleMs: 50 });
  expect([worker.isRunning, starts()]).toEqual([false, 0]);
  await Promise.all(Object.values(QUERIES).map((run) => run(queries)));
  expect([worker.isRunning, starts()]).toEqual([true, 1]);
  while (worker.isRunning) await Bun.sleep(10);
  expect(await plain(queries.hostList("all"))).toMatchObject({ totalRecords: 1 });
  expect(starts()).toBe(2);
});

test("with little to read there is no thread", async () => {
  const { app, worker, queries, starts } = await setUp({ isSmall: () => isSmall(app.db) });
  expect(await plain(queries.hostList("all"))).toMatchObject({ totalRecords: 1 });
  expect([worker.isRunning, starts()]).toEqual([false, 0]);
  app.db.$client.run("update sqlite_sequence set seq = 100 where name = 'hosts'");
  await app.report({ id: "b", hostname: "b.example.org", services: [] });
  expect(await plain(queries.hostList("all"))).toMatchObject({ totalRecords: 2 });
  expect([worker.isRunning, starts()]).toEqual([true, 1]);
});

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  );

test("a thread that breaks answers 503, and the next query has another", async () => {
  const { app, worker, queries } = await setUp({ start: stubborn });
  const waiting = queries.hostList("all");
  const breaking = queries.uptimeList(DAY, "json", "all");
  expect(await Promise.all([statusOf(waiting), statusOf(breaking)])).toEqual([503, 503]);
  expect(worker.isRunning).toBe(false);
  expect(app.logged.join("\n")).toContain("the query worker failed");
  expect(await statusOf(queries.uptimeList(DAY, "json", "all"))).toBe(503);
});

test("a query that takes too long is given up, and so are more than can wait", async () => {
  const { queries } = await setUp({ start: stubborn, timeLimitMs: 100 });
  const answered: number[] = [];
  const run = Array.from({ length: 70 }, (_, i) =>
    statusOf(queries.hostList("all")).finally(() => answered.push(i)),
  );
  expect(new Set(await Promise.all(run))).toEqual(new Set([503]));
  // The last six found no place to wait in.
  expect(answered.slice(0, 6)).toEqual([64, 65, 66, 67, 68, 69]);
  expect(await statusOf(queries.hostList("all"))).toBe(503);
});

test("when it is stopped, those who wait are told", async () => {
  const { worker, queries } = await setUp({ start: stubborn });
  const waiting = statusOf(queries.hostList("all"));
  await worker.stop();
  expect(await waiting).toBe(503);
  expect(worker.isRunning).toBe(false);
});

test("the thread cannot write", async () => {
  const { openReadOnly } = await import("../../../src/platform/storage/open.ts");
  const { app } = await setUp();
  const readOnly = openReadOnly(sqliteClient(app.db).filename);
  expect(() => readOnly.$client.run("delete from hosts")).toThrow(/readonly/);
  readOnly.$client.close();
});
