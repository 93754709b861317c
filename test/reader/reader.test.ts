/** Long questions on a thread of their own: the real thread on a real file. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readerWorker } from "../../src/assets.ts";
import { systemClock } from "../../src/clock.ts";
import { closeDatabase } from "../../src/database/open.ts";
import { ApiError } from "../../src/http/errors.ts";
import { PreparedReply } from "../../src/http/prepared.ts";
import { type QuestionName, questionsOver } from "../../src/reader/questions.ts";
import { InlineReader, type Reader } from "../../src/reader/reader.ts";
import { isSmall, WorkerReader, type WorkerReaderParts } from "../../src/reader/worker-reader.ts";
import type { Rule } from "../../src/rules/rules.repository.ts";
import { processXml } from "../support/agent-messages.ts";
import { TestApp } from "../support/app.ts";

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(changes: Partial<WorkerReaderParts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "muster-reader-"));
  const database = join(folder, "muster.db");
  const app = new TestApp({ database });
  await app.report({
    ...{ id: "a", hostname: "a.example.org", hostGroups: ["rack"], serviceGroups: { front: ["web"] } },
    services: [{ name: "web", status: 512, body: processXml() }],
    event: { service: "web" },
  });
  const inline = new InlineReader(questionsOver(app.db, app.settings, systemClock));
  let starts = 0;
  const reader = new WorkerReader({
    start: () => {
      starts++;
      return new Worker(readerWorker(), { argv: [database] });
    },
    inline,
    isSmall: () => false,
    log: app.parts.log,
    ...changes,
  });
  cleanups.push(
    () => rmSync(folder, { recursive: true }),
    () => closeDatabase(app.db),
    () => reader.stop(),
  );
  return { app, reader, inline, starts: () => starts };
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
  ...{ delay: 0, repeat: 0, recovery: true, final: false, flapCount: 3, flapWindow: 10, escalateAfter: 0 },
  ...{ channels: [1], escalationChannels: [] },
};

type Asking = (reader: Reader) => Promise<unknown>;

/** Each question with arguments of its own: one that is missing here does not compile. */
const QUESTIONS: Readonly<Record<QuestionName, Asking>> = {
  hostList: (reader) => reader.ask("hostList"),
  groupList: (reader) => reader.ask("groupList"),
  serviceGroupList: (reader) => reader.ask("serviceGroupList"),
  map: (reader) => reader.ask("map", "id", "host"),
  eventList: (reader) => reader.ask("eventList", EVENTS),
  eventSummary: (reader) => reader.ask("eventSummary"),
  hostStatusList: (reader) => reader.ask("hostStatusList", HOSTS),
  uptimeList: (reader) => reader.ask("uptimeList", DAY, "json"),
  uptimeOfServices: (reader) => reader.ask("uptimeOfServices", 1, DAY, "json"),
  uptimeBars: (reader) => reader.ask("uptimeBars", 1, undefined, DAY, 24),
  rulePreview: (reader) => reader.ask("rulePreview", RULE, 7),
  history: (reader) => reader.ask("history", { ...DAY, hostid: 1, points: 10 }, "json"),
};

/** Both answers, begun and ended in the same second: some tell the time. */
async function answersOf(question: Asking, reader: Reader, inline: Reader) {
  for (;;) {
    const second = systemClock.now();
    const answers = { there: await plain(question(reader)), here: await plain(question(inline)) };
    if (systemClock.now() === second) return answers;
  }
}

test("every question is answered as on the thread that asks", async () => {
  const { app, reader, inline, starts } = await setUp();
  const questions = questionsOver(app.db, app.settings, systemClock);
  expect(Object.keys(QUESTIONS).sort()).toEqual(Object.keys(questions).sort());
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const { there, here } = await answersOf(question, reader, inline);
    expect([name, there]).toEqual([name, here]);
  }
  expect(starts()).toBe(1);
});

test("tables come as files, from either thread the same", async () => {
  const { reader, inline } = await setUp();
  for (const given of [reader, inline]) {
    const csv = await given.ask("uptimeList", DAY, "csv");
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

test("what was acknowledged before a question is in its answer", async () => {
  const { app, reader } = await setUp();
  for (let i = 2; i < 10; i++) {
    await app.report({ id: `host ${i}`, hostname: `h${i}`, services: [] });
    expect(await plain(reader.ask("hostStatusList", HOSTS))).toMatchObject({ totalRecords: i });
  }
});

test("a setting that was changed holds for the next question", async () => {
  const { app, reader } = await setUp();
  const begin = async () =>
    (await plain(reader.ask("uptimeList", { range: 0 }, "json"))) as { datefrom: number };
  app.settings.set("timezone", "Pacific/Kiritimati");
  const there = (await begin()).datefrom;
  app.settings.set("timezone", "Pacific/Midway");
  expect((await begin()).datefrom).not.toBe(there);
});

test("a refusal is the same as on the thread that asks", async () => {
  const { reader, inline } = await setUp();
  const refusal = async (given: Reader) => {
    const error = await given.ask("uptimeOfServices", 99, DAY, "json").catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error("no refusal");
    return [error.status, error.code, error.message];
  };
  expect(await refusal(reader)).toEqual(await refusal(inline));
  expect((await refusal(reader))[0]).toBe(404);
});

test("the thread begins with the first question, and ends after some time without one", async () => {
  const { reader, starts } = await setUp({ idleMs: 50 });
  expect([reader.isRunning, starts()]).toEqual([false, 0]);
  await Promise.all(Object.values(QUESTIONS).map((question) => question(reader)));
  expect([reader.isRunning, starts()]).toEqual([true, 1]);
  while (reader.isRunning) await Bun.sleep(10);
  expect(await plain(reader.ask("hostList"))).toMatchObject({ totalRecords: 1 });
  expect(starts()).toBe(2);
});

test("with little to read there is no thread", async () => {
  const { app, reader, starts } = await setUp({ isSmall: () => isSmall(app.db) });
  expect(await plain(reader.ask("hostList"))).toMatchObject({ totalRecords: 1 });
  expect([reader.isRunning, starts()]).toEqual([false, 0]);
  app.db.$client.run("update sqlite_sequence set seq = 100 where name = 'hosts'");
  await app.report({ id: "b", hostname: "b.example.org", services: [] });
  expect(await plain(reader.ask("hostList"))).toMatchObject({ totalRecords: 2 });
  expect([reader.isRunning, starts()]).toEqual([true, 1]);
});

const statusOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  );

test("a thread that breaks answers 503, and the next question has another", async () => {
  const { app, reader } = await setUp({ start: stubborn });
  const waiting = reader.ask("hostList");
  const breaking = reader.ask("uptimeList", DAY, "json");
  expect(await Promise.all([statusOf(waiting), statusOf(breaking)])).toEqual([503, 503]);
  expect(reader.isRunning).toBe(false);
  expect(app.logged.join("\n")).toContain("the thread for long questions failed");
  expect(await statusOf(reader.ask("uptimeList", DAY, "json"))).toBe(503);
});

test("a question that takes too long is given up, and so are more than can wait", async () => {
  const { reader } = await setUp({ start: stubborn, timeLimitMs: 100 });
  const answered: number[] = [];
  const asked = Array.from({ length: 70 }, (_, i) =>
    statusOf(reader.ask("hostList")).finally(() => answered.push(i)),
  );
  expect(new Set(await Promise.all(asked))).toEqual(new Set([503]));
  // The last six found no place to wait in.
  expect(answered.slice(0, 6)).toEqual([64, 65, 66, 67, 68, 69]);
  expect(await statusOf(reader.ask("hostList"))).toBe(503);
});

test("when it is stopped, those who wait are told", async () => {
  const { reader } = await setUp({ start: stubborn });
  const waiting = statusOf(reader.ask("hostList"));
  await reader.stop();
  expect(await waiting).toBe(503);
  expect(reader.isRunning).toBe(false);
});

test("the thread cannot write", async () => {
  const { openReadOnly } = await import("../../src/database/open.ts");
  const { app } = await setUp();
  const readOnly = openReadOnly(app.db.$client.filename);
  expect(() => readOnly.$client.run("delete from hosts")).toThrow(/readonly/);
  readOnly.$client.close();
});
