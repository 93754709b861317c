import { describe, expect, test } from "bun:test";
import { recordEvent } from "../../src/events/event-log.service.ts";
import { nameIdOf } from "../../src/events/events.repository.ts";
import { insertSilentRecovery } from "../../src/uptime/downtime.repository.ts";
import { type Span, settleCheck, spansOf } from "../../src/uptime/downtime.service.ts";
import { TestApp } from "../support/app.ts";

/** A point on a check's time line: an error (E), a success (S) or a silent recovery (R). */
interface Point {
  kind: "E" | "S" | "R";
  date: number;
  usec: number;
}

function span(startedAt: number, endedAt: number | null): Pick<Span, "startedAt" | "endedAt"> {
  return { startedAt, endedAt };
}

/** The line's spans as they follow from all its points at once. */
function reference(points: readonly Point[]) {
  const rank = (point: Point) => (point.kind === "R" ? -1 : point.usec);
  const line = [...points].sort((a, b) => a.date - b.date || rank(a) - rank(b));
  const spans = spansOf(
    line.map((point) => ({ date: point.date, failing: point.kind === "E", eventId: null, collectedSec: 0 })),
  );
  return spans.map(({ startedAt, endedAt }) => span(startedAt, endedAt));
}

/** Deterministic (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** @param range of dates: the smaller, the more points share a second */
function randomLine(random: (below: number) => number, range: number): Point[] {
  const recovered = new Set<number>();
  return Array.from({ length: 2 + random(8) }, (_, i): Point => {
    const kind = (["E", "E", "S", "R"] as const)[random(4)] ?? "E";
    return { kind, date: 1000 + random(range), usec: i };
  }).filter(({ kind, date }) => kind !== "R" || (!recovered.has(date) && recovered.add(date)));
}

function shuffled(points: readonly Point[], random: (below: number) => number): Point[] {
  return points
    .map((point) => ({ point, key: random(1e9) }))
    .sort((a, b) => a.key - b.key)
    .map(({ point }) => point);
}

async function newCheck(app: TestApp, name: string) {
  return { hostId: 1, nameId: nameIdOf(app.db, name), eventType: 512 };
}

function store(app: TestApp, check: Awaited<ReturnType<typeof newCheck>>, point: Point): void {
  const { date, usec } = point;
  if (point.kind === "R") {
    insertSilentRecovery(app.db, check, date);
    settleCheck(app.db, check, date, 1);
    return;
  }
  const state = point.kind === "E" ? 1 : 0;
  const stamp = { date, collectedSec: date, collectedUsec: usec };
  recordEvent(app.db, { ...check, ...stamp, serviceType: 3, state, action: 1, message: "" }, 1);
}

async function permutationsAgree(seed: number, range: number, rounds: number): Promise<void> {
  const app = new TestApp();
  await app.report({});
  const random = randomOf(seed);
  for (let round = 0; round < rounds; round++) {
    const points = randomLine(random, range);
    const order = shuffled(points, random);
    const check = await newCheck(app, `check ${round}`);
    for (const point of order) store(app, check, point);
    const told = order.map(({ kind, date }) => `${kind}${date}`).join(" ");
    const stored = app.rows(
      `select started_at as startedAt, ended_at as endedAt from downtime_intervals
       where name_id = ${check.nameId} order by started_at, ifnull(ended_at, 1e12)`,
    );
    expect({ told, stored }).toEqual({ told, stored: reference(points) });
    const active = app.rows(`select id from events where name_id = ${check.nameId} and active = 1`);
    expect({ told, active: active.length }).toEqual({
      told,
      active: reference(points).at(-1)?.endedAt === null ? 1 : 0,
    });
  }
}

describe("intervals of a check do not depend on the order in which its points arrive", () => {
  for (let seed = 1; seed <= 4; seed++)
    test(`points at different seconds, seed ${seed}`, () => permutationsAgree(seed, 100_000, 60));
  for (let seed = 1; seed <= 4; seed++)
    test(`points that share seconds, seed ${seed}`, () => permutationsAgree(seed, 6, 60));
});

describe("spans of a time line", () => {
  const line = (text: string) =>
    spansOf(
      text
        .split(" ")
        .filter(Boolean)
        .map((point) => ({
          date: Number(point.slice(1)),
          failing: point.startsWith("E"),
          eventId: null,
          collectedSec: 0,
        })),
    ).map(({ startedAt, endedAt }) => [startedAt, endedAt]);

  const CASES: readonly [line: string, spans: (number | null)[][], why: string][] = [
    ["", [], "nothing happened"],
    ["S5", [], "a success without an error"],
    ["E5", [[5, null]], "an error that lasts"],
    ["E5 S9", [[5, 9]], "an error and its success"],
    ["E5 E7 S9", [[5, 9]], "a repeated error is the same failure"],
    ["E5 S7 S9", [[5, 7]], "a repeated success changes nothing"],
    [
      "E5 S7 E7 S9",
      [
        [5, 7],
        [7, 9],
      ],
      "a new failure in the second of the recovery",
    ],
    [
      "S1 E5 S7 E8",
      [
        [5, 7],
        [8, null],
      ],
      "only the last can be open",
    ],
  ];
  for (const [given, spans, why] of CASES) test(why, () => expect(line(given)).toEqual(spans));
});
