/** Long queries on a thread of their own: the real thread on a real file. */
import { afterEach, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVERYTHING } from "../../../src/alerting/forgotten/forgotten.queries.ts";
import { insertRehearsal } from "../../../src/alerting/rehearsals/rehearsals.repository.ts";
import type { Rule } from "../../../src/alerting/rules/rules.repository.ts";
import { ruleRows } from "../../../src/alerting/rules/rules.repository.ts";
import type { Limit } from "../../../src/monitoring/limits/limit.ts";
import { queryWorkerUrl } from "../../../src/platform/assets.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { ApiError } from "../../../src/platform/http/errors.ts";
import type { PreparedReply } from "../../../src/platform/http/prepared.ts";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import { type AsyncQueries, inlineQueries } from "../../../src/platform/queries/queries.ts";
import { prepare } from "../../../src/platform/queries/query-reply.ts";
import { QueryWorkers, type QueryWorkersOptions } from "../../../src/platform/queries/query-workers.ts";
import { closeDatabase, sqliteClient } from "../../../src/platform/storage/open.ts";
import type { StatusPage } from "../../../src/publishing/status-pages/status-pages.repository.ts";
import { allQueries, type QueryList } from "../../../src/queries.ts";
import { processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { limitWith } from "../../support/limits.ts";
import { HeldWorker } from "./held-worker.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(changes: Partial<QueryWorkersOptions<ReturnType<typeof allQueries>>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "muster-queries-"));
  const database = join(folder, "muster.db");
  const app = new TestApp({ database });
  await app.report({
    id: "a",
    hostname: "a.example.org",
    hostGroups: ["rack"],
    serviceGroups: { front: ["web"] },
    services: [{ name: "web", status: 512, body: processXml() }],
    event: { service: "web" },
  });
  app.muster.statisticLimits.create(limitWith({ name: "load", statistics: [0], warning: 1 }));
  const group = app.muster.groups.create("racks");
  const anyHost = { tags: [], hostpattern: "", ends: null };
  app.muster.agentKeys.create({ name: "racks", secret: "", hostgroups: [group], ...anyHost });
  const settings = { tags: [], description: "Front", skew: 5 };
  app.muster.expectedHosts.create({ hostname: "web1", hostgroups: [group], ...settings });
  app.muster.statusPages.create({ title: "Rack", hostgroup: group, slug: "rack", tags: [], services: true });
  app.muster.savedFilters.create({ name: "red", filter: { screen: "hosts", led: 0 } });
  app.muster.views.create({
    name: "disks",
    statistics: [18],
    descriptor: "",
    hostgroup: null,
    order: "desc",
    results: 20,
    hosts: [],
    services: [],
    rankings: [],
  });
  app.muster.statisticLimits.create(limitWith({ name: "traffic", statistics: [153], period: "month" }));
  ruleRows.insert(app.db, { ...RULE, steps: [] });
  app.muster.maintenance.create({
    name: "move",
    enabled: true,
    filter: {},
    schedule: { kind: "once", from: 1000, to: 2000 },
  });
  app.muster.onCall.create({ name: "nights", rotations: [], noticeminutes: 0, handovernotice: false });
  const mail = { host: "localhost", from: "muster@example.org", to: "ops@example.org" };
  const channel = app.muster.channels.create({ name: "mail", kind: "email", enabled: true, settings: mail });
  app.muster.mailReports.create({
    name: "week",
    enabled: true,
    period: "weekly",
    hour: 7,
    everything: true,
    hostgroups: [],
    target: 99.9,
    channel,
    users: [],
    addresses: ["boss@example.org"],
  });
  const weekly = { enabled: true, schedule: null, escalate: false, wait: 30, day: 1, time: "07:30" };
  app.muster.weeklyRehearsals.create({ name: "weekly", rule: 1, ...weekly });
  insertRehearsal(app.db, { ruleId: 1, startedAt: 1000, failedAt: 1000, endedAt: 2000, wait: 30 });
  const queries = allQueries(app.db, app.settings, systemClock);
  const inline = inlineQueries(queries);
  let starts = 0;
  const worker = new QueryWorkers({
    start: () => {
      starts++;
      return new Worker(queryWorkerUrl(), { argv: [JSON.stringify({ kind: "file", path: database })] });
    },
    queries,
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

async function plain(answer: Promise<PreparedReply>): Promise<unknown> {
  return (await answer).value;
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
  id: 1,
  position: 1,
  name: "all",
  enabled: true,
  filter: {},
  quiet: null,
  delay: 0,
  repeat: 0,
  recovery: true,
  final: false,
  flapcount: 3,
  flapwindow: 10,
  steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
  disabledAt: null,
};

const PAGE: StatusPage = {
  id: 1,
  title: "Rack",
  hostgroup: 1,
  tags: [],
  slug: "rack",
  services: true,
  createdAt: 1000,
};

const LIMIT: Limit = { ...limitWith({ name: "load", statistics: [0], warning: 1 }), id: 1 };

const LIST = { list: "[racks]\nweb[1:2]", hostgroups: [], tags: ["env=prod"] };

type Run = (queries: AsyncQueries<QueryList>) => Promise<PreparedReply>;

/** Each query with its arguments: a missing one does not compile. */
const QUERIES: Readonly<Record<keyof AsyncQueries<QueryList>, Run>> = {
  moment: (queries) => queries.moment("test", systemClock.now()),
  hostSummary: (queries) => queries.hostSummary("test", "all"),
  agentFacts: (queries) => queries.agentFacts("test", systemClock.now()),
  forgottenList: (queries) => queries.forgottenList("test", EVERYTHING),
  publicNoteList: (queries) =>
    queries.publicNoteList("test", { hostid: 1, results: 50, startindex: 0 }, FULL_REACH),
  hostList: (queries) => queries.hostList("test", "all"),
  groupStatusList: (queries) => queries.groupStatusList("test", "all"),
  hostGlance: (queries) => queries.hostGlance("test", [1], "all"),
  groupList: (queries) => queries.groupList("test", "all"),
  tagList: (queries) => queries.tagList("test", "a", "all"),
  keyList: (queries) => queries.keyList("test", FULL_REACH),
  key: (queries) => queries.key("test", 1, FULL_REACH),
  actionList: (queries) => queries.actionList("test", 1, FULL_REACH),
  keyHosts: (queries) => queries.keyHosts("test", 1, FULL_REACH, 100, 0),
  expectedList: (queries) => queries.expectedList("test", FULL_REACH),
  expectedHost: (queries) => queries.expectedHost("test", 1, FULL_REACH),
  expectedPreview: (queries) => queries.expectedPreview("test", LIST, FULL_REACH),
  expectedPlan: (queries) => queries.expectedPlan("test", LIST, FULL_REACH, true),
  serviceGroupList: (queries) => queries.serviceGroupList("test", "all"),
  hostIdsMatching: (queries) => queries.hostIdsMatching("test", { led: [0, 1, 2] }, "all"),
  deletedHostList: (queries) => queries.deletedHostList("test", 50, 0),
  inactiveHostIds: (queries) => queries.inactiveHostIds("test", DAY.dateto),
  ownReports: (queries) => queries.ownReports("test", 1),
  sealedChannels: (queries) => queries.sealedChannels("test"),
  sealedChannel: (queries) => queries.sealedChannel("test", 1),
  fleetPage: (queries) => queries.fleetPage("test", { scope: "all" }, null),
  openFleetEvents: (queries) => queries.openFleetEvents("test"),
  map: (queries) => queries.map("test", "id", "host", "all"),
  eventList: (queries) => queries.eventList("test", EVENTS, "all"),
  eventSummary: (queries) => queries.eventSummary("test", "all"),
  search: (queries) => queries.search("test", { text: "a", results: 8, members: true }, "all"),
  hostStatusList: (queries) => queries.hostStatusList("test", HOSTS, "all"),
  uptimeList: (queries) => queries.uptimeList("test", DAY, "json", "all"),
  uptimeOfServices: (queries) => queries.uptimeOfServices("test", 1, DAY, "json", "all"),
  uptimeBudget: (queries) =>
    queries.uptimeBudget("test", { ...DAY, hostgroupid: 1, cells: 24, format: "json" }, "all"),
  uptimeBars: (queries) =>
    queries.uptimeBars("test", { hostId: 1, service: undefined, scope: "all" }, DAY, 24),
  rulePreview: (queries) => queries.rulePreview("test", RULE, 7, "all"),
  mailReportList: (queries) => queries.mailReportList("test", FULL_REACH),
  mailReport: (queries) => queries.mailReport("test", 1, FULL_REACH),
  reportFigures: (queries) =>
    queries.reportFigures("test", {
      about: "all",
      scope: "all",
      window: { from: 1000, to: 87_400 },
      before: { from: 0, to: 1000 },
      target: 99.9,
      manage: "all",
      listsForgotten: true,
    }),
  limitSums: (queries) => queries.limitSums("test", { id: 2, results: 50, startindex: 0 }, "all"),
  limitsUnmatched: (queries) => queries.limitsUnmatched("test", "all"),
  rulesUnmatched: (queries) => queries.rulesUnmatched("test", "all"),
  limitPreview: (queries) => queries.limitPreview("test", LIMIT, 7),
  limitList: (queries) => queries.limitList("test", FULL_REACH),
  limit: (queries) => queries.limit("test", 1, FULL_REACH),
  muteList: (queries) => queries.muteList("test", "all"),
  muteHistory: (queries) => queries.muteHistory("test", { hostid: 1, datefrom: 0, dateto: 60 }, "all"),
  filterList: (queries) => queries.filterList("test", FULL_REACH),
  viewList: (queries) => queries.viewList("test", FULL_REACH),
  statusPageList: (queries) => queries.statusPageList("test", FULL_REACH),
  filter: (queries) => queries.filter("test", 1, FULL_REACH),
  view: (queries) => queries.view("test", 1, FULL_REACH),
  statusPage: (queries) => queries.statusPage("test", 1, FULL_REACH),
  hostStatus: (queries) => queries.hostStatus("test", 1, true, "all", "all"),
  event: (queries) => queries.event("test", 1, "all"),
  ruleList: (queries) => queries.ruleList("test", FULL_REACH),
  rule: (queries) => queries.rule("test", 1, FULL_REACH),
  weeklyRehearsalList: (queries) => queries.weeklyRehearsalList("test", FULL_REACH),
  weeklyRehearsal: (queries) => queries.weeklyRehearsal("test", 1, FULL_REACH),
  rehearsalList: (queries) => queries.rehearsalList("test", { results: 50, startindex: 0 }, "all"),
  rehearsal: (queries) => queries.rehearsal("test", 1, "all"),
  rehearsalSuggestions: (queries) => queries.rehearsalSuggestions("test"),
  scheduleList: (queries) => queries.scheduleList("test", FULL_REACH),
  schedule: (queries) => queries.schedule("test", 1, FULL_REACH),
  maintenanceList: (queries) => queries.maintenanceList("test", FULL_REACH),
  maintenance: (queries) => queries.maintenance("test", 1, FULL_REACH),
  dependencyList: (queries) => queries.dependencyList("test", undefined, "all"),
  contactList: (queries) => queries.contactList("test"),
  deliveryList: (queries) => queries.deliveryList("test", { results: 50, startindex: 0 }),
  deliveriesOfEvent: (queries) => queries.deliveriesOfEvent("test", 1, true, "all"),
  userList: (queries) => queries.userList("test"),
  auditList: (queries) => queries.auditList("test", { results: 50, startindex: 0 }),
  publicPage: (queries) => queries.publicPage("test", PAGE, true),
  history: (queries) => queries.history("test", { ...DAY, hostid: 1, points: 10 }, "json", "all"),
  incidentList: (queries) =>
    queries.incidentList("test", { state: "open", results: 50, startindex: 0 }, "all"),
  incident: (queries) => queries.incident("test", 1, true, "all"),
  incidentFirstMoves: (queries) => queries.incidentFirstMoves("test", 1),
  incidentMoved: (queries) => queries.incidentMoved("test", 1, true, "all"),
  eventChanges: (queries) => queries.eventChanges("test", 1, "all"),
  forecastsToStore: (queries) => queries.forecastsToStore("test", 1),
  forecastOfHost: (queries) => queries.forecastOfHost("test", { hostid: 1 }, "all"),
  forecastList: (queries) => queries.forecastList("test", { results: 50, startindex: 0 }, "all"),
  onCallNow: (queries) => queries.onCallNow("test"),
  onCallCalendar: (queries) => queries.onCallCalendar("test", { from: DAY.datefrom, to: DAY.dateto }),
  historyTop: (queries) => queries.historyTop("test", { type: [0], order: "desc", results: 3 }, "all"),
  historyCompare: (queries) =>
    queries.historyCompare("test", { ...DAY, hostid: [1], serviceid: [], type: [0], points: 10 }, "all"),
};

/** Both answers, begun and ended in the same second: some contain the time. */
async function resultsOf(run: Run, queries: AsyncQueries<QueryList>, inline: AsyncQueries<QueryList>) {
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
  for (const runner of [queries, inline]) {
    const csv = await runner.uptimeList("test", DAY, "csv", "all");
    expect(new TextDecoder().decode(csv.body)).toStartWith(
      "id,name,active,uptime percent,downtime seconds,events\r\n",
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
    expect(await plain(queries.hostStatusList("test", HOSTS, "all"))).toMatchObject({ totalRecords: i });
  }
});

test("a changed setting applies to the next query", async () => {
  const { app, queries } = await setUp();
  const begin = async () =>
    (await plain(queries.uptimeList("test", { range: 0 }, "json", "all"))) as { datefrom: number };
  app.settings.set("timezone", "Pacific/Kiritimati");
  const there = (await begin()).datefrom;
  app.settings.set("timezone", "Pacific/Midway");
  expect((await begin()).datefrom).not.toBe(there);
});

test("a refusal is the same as on the thread that asks", async () => {
  const { queries, inline } = await setUp();
  const refusal = async (runner: AsyncQueries<QueryList>) => {
    const error = await runner
      .uptimeOfServices("test", 99, DAY, "json", "all")
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error("no refusal");
    return [error.status, error.code, error.message, error.headers];
  };
  expect(await refusal(queries)).toEqual(await refusal(inline));
  expect((await refusal(queries))[0]).toBe(404);
});

test("the thread begins with the first query, and ends after some time without one", async () => {
  const { worker, queries, starts } = await setUp({ idleMs: 50 });
  expect([worker.running, starts()]).toEqual([0, 0]);
  // No more than this may wait at once.
  const some = Object.values(QUERIES).slice(0, 40);
  await Promise.all(some.map((run) => run(queries)));
  expect([worker.running, starts()]).toEqual([1, 1]);
  while (worker.running > 0) await Bun.sleep(10);
  expect(await plain(queries.hostList("test", "all"))).toMatchObject({ totalRecords: 1 });
  expect(starts()).toBe(2);
});

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  );

test("a thread that breaks answers 503, and the next query has another", async () => {
  const { app, worker, queries } = await setUp({ start: stubborn });
  expect(await statusOf(queries.uptimeList("test", DAY, "json", "all"))).toBe(503);
  expect(worker.running).toBe(0);
  expect(app.logged.join("\n")).toContain("the query worker failed");
  expect(await statusOf(queries.uptimeList("test", DAY, "json", "all"))).toBe(503);
});

/** Lets answers reach the waiting callers. */
const settle = () => Bun.sleep(0);

async function held() {
  HeldWorker.started.length = 0;
  const { queries, worker } = await setUp({ start: HeldWorker.start });
  /** The callers whose queries the threads have, in the order of the threads. */
  const asked = () => HeldWorker.started.map((thread) => thread.asked.map(({ args }) => args[0]));
  const ask = (caller: string) => statusOf(queries.tagList(caller, caller, "all"));
  return { worker, asked, ask, threads: HeldWorker.started };
}

test("a caller's further queries wait for theirs, and those of others do not", async () => {
  const { worker, asked, ask, threads } = await held();
  const busy = [ask("busy"), ask("busy"), ask("busy")];
  expect(asked()).toEqual([["busy"]]);
  const other = ask("other");
  expect(asked()).toEqual([["busy"], ["other"]]);
  expect(worker.running).toBe(2);
  const third = ask("third");
  threads[0]?.answer();
  await settle();
  // The caller that has waited longest without a turn comes first.
  expect(asked()).toEqual([["third"], ["other"]]);
  threads[1]?.answer();
  await settle();
  expect(asked()).toEqual([["third"], ["busy"]]);
  threads[0]?.answer();
  threads[1]?.answer();
  await settle();
  for (const thread of threads) thread.answer();
  expect(await Promise.all([...busy, other, third])).toEqual([200, 200, 200, 200, 200]);
});

test("past 64 that wait, the newest of the caller with most of them is refused", async () => {
  const { ask, threads, asked } = await held();
  const answers: string[] = [];
  const note = (caller: string) =>
    void ask(caller).then((status) => answers.push(`${caller} ${status as number}`));
  for (let i = 0; i < 65; i++) note("flood");
  await settle();
  expect(answers).toEqual([]);
  note("flood");
  await settle();
  expect(answers).toEqual(["flood 503"]);
  // One for the second thread, and one that waits: for that, a request of the flood goes.
  note("second");
  note("third");
  await settle();
  expect(answers).toEqual(["flood 503", "flood 503"]);
  expect(asked()).toEqual([["flood"], ["second"]]);
  threads[0]?.answer();
  await settle();
  expect(asked()).toEqual([["third"], ["second"]]);
});

test("a query that takes too long ends with its thread, and the next one has another", async () => {
  HeldWorker.started.length = 0;
  const { app, queries, worker } = await setUp({ start: HeldWorker.start, timeLimitMs: 30_000 });
  jest.useFakeTimers();
  cleanups.push(() => void jest.useRealTimers());
  const slow = ["running", "waiting"].map((text) => statusOf(queries.tagList("slow", text, "all")));
  jest.advanceTimersByTime(30_000);
  expect(await Promise.all(slow)).toEqual([503, 503]);
  jest.useRealTimers();
  expect(worker.running).toBe(0);
  expect(app.logged.join("\n")).toContain("a query took too long and was stopped query=tagList");
  await settle();
  const next = statusOf(queries.tagList("slow", "next", "all"));
  const [, second] = HeldWorker.started;
  expect(second?.answer()).toBe("next");
  expect(await next).toBe(200);
});

test("the caller of a query that took too long waits for the end of its thread, and others do not", async () => {
  HeldWorker.started.length = 0;
  class Lasting extends HeldWorker {
    override terminate(): void {
      // It still runs a statement.
    }
  }
  const start = () => {
    const thread = HeldWorker.started.length === 0 ? new Lasting() : new HeldWorker();
    HeldWorker.started.push(thread);
    return thread as unknown as Worker;
  };
  const { queries } = await setUp({ start, timeLimitMs: 30_000 });
  jest.useFakeTimers();
  cleanups.push(() => void jest.useRealTimers());
  const first = statusOf(queries.tagList("slow", "first", "all"));
  jest.advanceTimersByTime(30_000);
  expect(await first).toBe(503);
  const again = statusOf(queries.tagList("slow", "again", "all"));
  const other = statusOf(queries.tagList("other", "other", "all"));
  const [ended, second] = HeldWorker.started;
  expect(second?.answer()).toBe("other");
  expect(await other).toBe(200);
  expect(second?.asked).toEqual([]);
  ended?.dispatchEvent(new Event("close"));
  while (second?.asked.length === 0) await Promise.resolve();
  expect(second?.answer()).toBe("again");
  expect(await again).toBe(200);
});

test("a reply that is too long is refused with what to do", () => {
  const reply = { text: "x".repeat(100) };
  expect(prepare(reply, 111).value).toEqual(reply as never);
  expect(() => prepare(reply, 110)).toThrow(/would be 111 bytes long, more than 110: ask for less/);
});

test("when it is stopped, those who wait for a thread are told, and no further thread begins", async () => {
  HeldWorker.started.length = 0;
  const { worker, queries } = await setUp({ start: HeldWorker.start });
  const waiting = ["a", "b", "c", "c"].map((caller) => statusOf(queries.tagList(caller, "", "all")));
  await settle();
  const threads = HeldWorker.started.length;
  await worker.stop();
  expect(await Promise.all(waiting)).toEqual([503, 503, 503, 503]);
  expect([worker.running, HeldWorker.started.length]).toEqual([0, threads]);
});

test("when it is stopped, those who wait are told", async () => {
  const { worker, queries } = await setUp({ start: stubborn });
  const waiting = statusOf(queries.hostList("test", "all"));
  await worker.stop();
  expect(await waiting).toBe(503);
  expect(worker.running).toBe(0);
});

test("the thread cannot write", async () => {
  const { openReadOnly } = await import("../../../src/platform/storage/open.ts");
  const { app } = await setUp();
  const readOnly = openReadOnly(sqliteClient(app.db).filename);
  expect(() => readOnly.$client.run("delete from hosts")).toThrow(/readonly/);
  readOnly.$client.close();
});
