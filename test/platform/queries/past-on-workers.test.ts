/** Moments in the past on the threads that answer queries: the real threads, asked through the whole app. */
import { afterEach, expect, jest, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_LINE } from "../../../src/accounts/audit/actor.ts";
import { MAX_KEPT, MAX_KEPT_BYTES, Moments } from "../../../src/monitoring/moment/moments.ts";
import { queryWorkerUrl } from "../../../src/platform/assets.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { ApiError } from "../../../src/platform/http/errors.ts";
import type { Turn } from "../../../src/platform/http/turn.ts";
import type { AsyncQueries } from "../../../src/platform/queries/queries.ts";
import { QueryWorkers } from "../../../src/platform/queries/query-workers.ts";
import { closeDatabase, type Db } from "../../../src/platform/storage/open.ts";
import { allQueries, type QueryList } from "../../../src/queries.ts";
import { answersOfDay, expectSame } from "../../monitoring/moment/same-answers.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";
import { HeldWorker } from "./held-worker.ts";

const HOSTS = "/api/1/status/hosts/list";
const DAY = 86_400;
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function emptyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "muster-moments-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return join(folder, "muster.db");
}

/** An app whose queries run on threads of their own. */
function onThreads(database: string, db?: Db, entry = queryWorkerUrl()): TestApp {
  const stopping: (() => Promise<void>)[] = [];
  const app: TestApp = new TestApp({
    ...(db ? { db } : { database }),
    runQueries: (queries: QueryList): AsyncQueries<QueryList> => {
      const workers = new QueryWorkers({
        start: () => new Worker(entry, { argv: [JSON.stringify({ kind: "file", path: database })] }),
        queries,
        log: { error: () => undefined, warn: () => undefined, info: () => undefined },
      });
      stopping.push(() => workers.stop());
      return workers.queries;
    },
  });
  cleanups.push(async () => {
    for (const stop of stopping) await stop();
    if (!db) closeDatabase(app.db);
  });
  return app;
}

test("threads answer about moments as was answered when they were the present", async () => {
  const database = emptyFile();
  const app = new TestApp({ database });
  cleanups.push(() => closeDatabase(app.db));
  const answers = Map.groupBy(await answersOfDay(app), ({ at }) => at);
  const [first = [], second = []] = [...answers.values()].slice(4);
  // In turns, so that each thread uses a moment again after it composed another.
  const some = [...first, ...second, ...first];
  expect(some.length).toBeGreaterThan(100);
  await expectSame(onThreads(database, app.db), some);
}, 60_000);

test("a thread refuses a moment that is not known with what to do", async () => {
  const app = onThreads(emptyFile());
  await app.report({});
  const admin = await app.admin();
  const tomorrow = systemClock.now() + DAY;
  await expectRefusal(app, () => admin.get(HOSTS, { at: tomorrow }), 400, "moment.future");
  app.settings.set("eventdays", 30);
  const { json } = await admin.get(HOSTS, { at: START });
  expect(json).toMatchObject({ code: "moment.not_known" });
  expect(json.error ?? json.message).toMatch(/no longer known: the earliest one is \d+ \(.* UTC\)$/);
});

test("a moment of all hosts with too many services is refused, and one of some hosts is not", async () => {
  const app = onThreads(emptyFile(), undefined, new URL("./few-services.worker.ts", import.meta.url));
  await app.report({ services: [{ name: "web" }, { name: "db" }, { name: "cron" }] });
  const admin = await app.admin();
  await expectRefusal(app, () => admin.get(HOSTS, { at: START }), 400, "moment.large");
  expect((await admin.get(HOSTS, { at: START, hostid: 1 })).json.records).toHaveLength(1);
  expect((await admin.get(HOSTS)).json.records).toHaveLength(1);
});

function held(timeLimitMs?: number) {
  HeldWorker.started.length = 0;
  const queries = allQueries(new TestApp().db, new TestApp().settings, systemClock);
  const lines: string[] = [];
  const log = {
    error: () => undefined,
    warn: (text: string) => void lines.push(text),
    info: () => undefined,
  };
  const workers = new QueryWorkers({
    start: HeldWorker.start,
    queries,
    log,
    ...(timeLimitMs && { timeLimitMs }),
  });
  cleanups.push(() => workers.stop());
  const ask = (turn: Turn, prefix: string) =>
    workers.queries.tagList(turn, prefix, "all").then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : error),
    );
  return { ask, lines, workers };
}

test("who asks about the past waits for their turn, also behind their own questions about the present", async () => {
  const { ask } = held();
  const first = ask({ caller: "busy", at: 1000 }, "past");
  const second = ask("busy", "present");
  const third = ask({ caller: "busy", at: 2000 }, "later");
  const other = ask("other", "other");
  const asked = () => HeldWorker.started.map(({ asked }) => asked.map(({ args, at }) => [args[0], at]));
  expect(asked()).toEqual([[["past", 1000]], [["other", undefined]]]);
  const [one, two] = HeldWorker.started;
  one?.answer();
  await Bun.sleep(0);
  expect(asked()).toEqual([[["present", undefined]], [["other", undefined]]]);
  one?.answer();
  await Bun.sleep(0);
  expect(asked()).toEqual([[["later", 2000]], [["other", undefined]]]);
  one?.answer();
  two?.answer();
  expect(await Promise.all([first, second, third, other])).toEqual([200, 200, 200, 200]);
});

test("a moment that takes longer than 30 seconds ends its thread, and the next question has another", async () => {
  const { ask, lines, workers } = held();
  jest.useFakeTimers();
  cleanups.push(() => void jest.useRealTimers());
  const slow = ask({ caller: "slow", at: 1000 }, "slow");
  jest.advanceTimersByTime(29_999);
  expect(workers.running).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await slow).toBe(503);
  jest.useRealTimers();
  expect(workers.running).toBe(0);
  expect(lines).toEqual(["a query took too long and was stopped"]);
  const next = ask("slow", "next");
  expect(HeldWorker.started[1]?.answer()).toBe("next");
  expect(await next).toBe(200);
});

test("a host that was hidden or deleted just now is at once in no moment", async () => {
  const app = onThreads(emptyFile());
  const [admin, user] = [await app.admin(), await app.user()];
  for (const id of [1, 2]) await app.report({ id: `agent-${id}`, hostname: `host-${id}` });
  await admin.post("/api/1/admin/groups/create", { name: "rack" });
  await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [1, 2] });
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: [1], restricted: true });
  app.pass(10);
  const at = app.clock.now() - 1;
  const seenBy = async (client: TestClient) => {
    const { records } = (await client.get(HOSTS, { at })).json;
    const { status } = await client.get("/api/1/status/hosts/get", { id: 2, at });
    return [records.map(({ hostname }: Fields) => hostname), status];
  };
  const both = [["host-1", "host-2"], 200];
  const one = [["host-1"], 404];
  expect([await seenBy(admin), await seenBy(user)]).toEqual([both, both]);
  await admin.post("/api/1/admin/groups/remove", { id: 1, hostid: 2 });
  expect([await seenBy(admin), await seenBy(user)]).toEqual([both, one]);
  app.deleteHosts([2]);
  expect([await seenBy(admin), await seenBy(user)]).toEqual([one, one]);
  app.restoreHosts([2]);
  expect([await seenBy(admin), await seenBy(user)]).toEqual([both, one]);
});

test("a moment is composed anew after hosts were deleted or restored, or memberships changed, and only then", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  for (const id of [1, 2, 3]) await app.report({ id: `agent-${id}`, hostname: `host-${id}` });
  const post = (path: string, fields: Fields) => admin.post(`/api/1/admin/${path}`, fields);
  await post("groups/create", { name: "rack" });
  app.pass(1);
  let composed = 0;
  const queriesOver = () => ++composed;
  const moments = new Moments(app.db, {
    ...{ settings: app.settings, clock: app.clock, keptSeconds: 30, queriesOver },
  });
  const ask = () => moments.run(START, undefined, (number) => number);
  const changes: (() => unknown)[] = [
    () => post("groups/add", { id: 1, hostid: [2, 3] }),
    () => post("groups/remove", { id: 1, hostid: 2 }),
    () => app.report({ id: "agent-2", hostname: "host-2", hostGroups: ["rack"] }),
    () => app.report({ id: "agent-2", hostname: "host-2", hostGroups: [] }),
    () => post("groups/delete", { id: 1 }),
    () => app.deleteHosts([3]),
    () => app.muster.deletedHosts.beginRestoration([3], COMMAND_LINE),
    () => {
      while (app.muster.deletedHosts.step());
    },
    () => app.deleteHosts([2]),
  ];
  for (const [i, change] of changes.entries()) {
    expect([ask(), ask()]).toEqual([i + 1, i + 1]);
    await change();
  }
  expect(ask()).toBe(changes.length + 1);
  await app.report({ id: "agent-1", hostname: "renamed", services: [{ name: "web", status: 512 }] });
  await app.report({ id: "agent-4", hostname: "host-4" });
  await post("tags/add", { hosts: [1], tags: ["env=prod"] });
  app.muster.deletedHosts.beginDeletion([1], {}, COMMAND_LINE);
  expect(ask()).toBe(changes.length + 1);
});

test("a thread keeps a bounded number of moments, those that were used last, for half a minute", async () => {
  const app = new TestApp();
  await app.report({});
  app.pass(DAY);
  let composed = 0;
  const moments = new Moments(app.db, {
    settings: app.settings,
    clock: app.clock,
    queriesOver: () => ++composed,
    keptSeconds: 30,
  });
  const ask = (minute: number) => moments.run(START + 60 * minute, undefined, (number) => number);
  for (let minute = 0; minute < 2 * MAX_KEPT; minute++) ask(minute);
  expect(moments.kept.databases).toBe(MAX_KEPT);
  expect(moments.kept.bytes).toBeLessThanOrEqual(MAX_KEPT_BYTES);
  expect(moments.kept.bytes).toBeGreaterThan(0);
  expect([ask(2 * MAX_KEPT - 1), ask(MAX_KEPT)]).toEqual([2 * MAX_KEPT, MAX_KEPT + 1]);
  expect(ask(0)).toBe(2 * MAX_KEPT + 1);
  app.pass(30);
  expect(ask(0)).toBe(2 * MAX_KEPT + 2);
  expect(composed).toBe(2 * MAX_KEPT + 2);
});
