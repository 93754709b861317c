import { describe, expect, test } from "bun:test";
import { nameIdOf } from "../../../src/monitoring/events/events.repository.ts";
import { updateIntervals } from "../../../src/monitoring/uptime/downtime.service.ts";
import { type Span, spansOf } from "../../../src/monitoring/uptime/failure-spans.ts";
import { insertSilentRecovery } from "../../../src/monitoring/uptime/points.repository.ts";
import { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

/**
 * A point on a check's time line: an error (E), one that only the status reported (U), a success (S) or a silent
 * recovery (R). Microseconds are different for each point, and negative for U.
 */
interface Point {
  kind: "E" | "U" | "S" | "R";
  date: number;
  usec: number;
}

function span(startedAt: number, endedAt: number | null): Pick<Span, "startedAt" | "endedAt"> {
  return { startedAt, endedAt };
}

/** The agent's date. Of the points of a line, those from the 40th on are a second later by the agent's clock. */
const collectedSecOf = ({ date, usec }: Point) => date + (Math.abs(usec) > 40 ? 1 : 0);

function inOrder(points: readonly Point[]): Point[] {
  const rank = (point: Point) =>
    point.kind === "R" ? Number.NEGATIVE_INFINITY : collectedSecOf(point) * 1e6 + point.usec;
  return [...points].sort((a, b) => a.date - b.date || rank(a) - rank(b));
}

/** The spans that follow from all points of the line at once, and the microseconds of the active error. */
function reference(points: readonly Point[]) {
  const spans = spansOf(
    inOrder(points).map(({ kind, date, usec }) => ({
      date,
      failing: kind === "E" || kind === "U",
      eventId: usec,
      collectedSec: 0,
      isStatusOnly: kind === "U",
    })),
  );
  const last = spans.at(-1);
  return {
    spans: spans.map(({ startedAt, endedAt }) => span(startedAt, endedAt)),
    active: last?.endedAt === null ? [{ usec: last.errorId }] : [],
  };
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

/** @param range of dates: the smaller, the more points share a second. @param length number of points */
function randomLine(random: (below: number) => number, range: number, length: number): Point[] {
  const recovered = new Set<number>();
  return Array.from({ length }, (_, i): Point => {
    const kind = (["E", "E", "S", "R", "U"] as const)[random(5)] ?? "E";
    return { kind, date: 1000 + random(range), usec: kind === "U" ? -1 - i : i };
  }).filter(({ kind, date }) => kind !== "R" || (!recovered.has(date) && recovered.add(date)));
}

function shuffled(points: readonly Point[], random: (below: number) => number): Point[] {
  return points
    .map((point) => ({ point, key: random(1e9) }))
    .sort((a, b) => a.key - b.key)
    .map(({ point }) => point);
}

async function newCheck(app: TestApp, name: string) {
  return { hostId: 1, nameId: nameIdOf(app.db, name), eventType: 512, limitId: 0 };
}

/** @param isExpected whether what the event needs to know is read in advance, as for the messages of a flush */
function store(
  app: TestApp,
  check: Awaited<ReturnType<typeof newCheck>>,
  point: Point,
  isExpected = false,
): void {
  const { date, usec } = point;
  if (point.kind === "R") {
    insertSilentRecovery(app.db, check, date);
    updateIntervals(app.db, check, date, 1);
    return;
  }
  const state = point.kind === "S" ? 0 : 1;
  const stamp = { date, collectedSec: collectedSecOf(point), collectedUsec: usec };
  const { limitId: _, ...ofAgent } = check;
  const event = { ...ofAgent, ...stamp, serviceType: 3, state, action: 1, message: "" };
  // Only events of agents are read in advance.
  if (isExpected && point.kind !== "U") app.events.expect([event]);
  app.events.record(event, 1, app.clock.now());
  app.events.expectNothing();
}

type Reorder = (points: readonly Point[], random: (below: number) => number) => Point[];

async function permutationsAgree(
  seed: number,
  range: number,
  rounds: number,
  reorder: Reorder = shuffled,
  isExpected = false,
  length: number | null = null,
): Promise<void> {
  const app = new TestApp();
  await app.report({});
  const random = randomOf(seed);
  for (let round = 0; round < rounds; round++) {
    const points = randomLine(random, range, length ?? 2 + random(8));
    const order = reorder(points, random);
    const check = await newCheck(app, `check ${round}`);
    for (const point of order) store(app, check, point, isExpected);
    const told = order.map(({ kind, date }) => `${kind}${date}`).join(" ");
    const stored = app.rows(
      `select started_at as "startedAt", ended_at as "endedAt" from downtime_intervals
       where name_id = ${check.nameId} order by started_at, coalesce(ended_at, 1e12)`,
    );
    const active = app.rows(
      `select collected_usec as usec from events where name_id = ${check.nameId} and active = true`,
    );
    const { spans, active: expected } = reference(points);
    expect({ told, stored, active }).toEqual({ told, stored: spans, active: expected });
  }
}

describe("intervals of a check do not depend on the order in which its points arrive", () => {
  for (let seed = 1; seed <= 4; seed++)
    test(`points at different seconds, seed ${seed}`, () => permutationsAgree(seed, 100_000, 60));
  for (let seed = 1; seed <= 4; seed++)
    test(`points that share seconds, seed ${seed}`, () => permutationsAgree(seed, 6, 60));
  for (let seed = 1; seed <= 4; seed++)
    test(`points as they happened, seed ${seed}`, () => permutationsAgree(seed, 30, 60, inOrder));
  for (let seed = 1; seed <= 4; seed++)
    test(`points of flushes, many of which share seconds, seed ${seed}`, () =>
      permutationsAgree(seed, 6, 120, seed % 2 === 0 ? inOrder : shuffled, true));
  for (const range of [5, 40, 1000])
    test(`many points within ${range} s`, () => permutationsAgree(range, range, 10, shuffled, false, 80));
});

test("another error of a failure takes over its dismissal, however many there are", async () => {
  await app.report({});
  const check = await newCheck(app, "web");
  store(app, check, { kind: "E", date: 1000, usec: 0 });
  app.db.$client.run("update events set dismissed = true where active = true");
  for (let usec = 1; usec <= 3; usec++) store(app, check, { kind: "E", date: 1000 + usec, usec });
  const marked = "select collected_usec as usec, dismissed from events where active = true";
  expect(app.rows(marked)).toEqual([{ usec: 3, dismissed: 1 }]);
  store(app, check, { kind: "S", date: 1004, usec: 0 });
  store(app, check, { kind: "E", date: 1005, usec: 0 });
  expect(app.rows(marked)).toEqual([{ usec: 0, dismissed: 0 }]);
  expect(
    app.rows("select started_at as since, ended_at as until from downtime_intervals order by 1"),
  ).toEqual([
    { since: 1000, until: 1004 },
    { since: 1005, until: null },
  ]);
});

test("a failure that only the status reports is not that of an error before a success of its second", async () => {
  await app.report({});
  const check = await newCheck(app, "web");
  store(app, check, { kind: "E", date: 1000, usec: 1 });
  store(app, check, { kind: "S", date: 1000, usec: 2 });
  store(app, check, { kind: "U", date: 1000, usec: -41 });
  expect(app.rows("select collected_usec as usec from events where active = true")).toEqual([{ usec: -41 }]);
});

describe("a dismissal and an acknowledgement apply to the failure as it was known then", () => {
  type Cared = readonly [name: string, before: string, after: string, isOver: boolean];
  /** Points as "E100", or "E100.2" for the second one of a second. */
  const pointOf = (text: string): Point => {
    const [date = "", usec = "0"] = text.slice(1).split(".");
    return { kind: text.startsWith("E") ? "E" : "S", date: Number(date), usec: Number(usec) };
  };
  const CASES: readonly Cared[] = [
    ["a repeated error", "E100", "E200 E300", false],
    ["a late error, by which the failure began earlier", "E100", "E50", false],
    ["a late error, and then a success before what was dismissed", "E100", "E50 S70", false],
    ["the same in the other order", "E100", "S70 E50", false],
    ["a late error and a success, with an error between", "E100", "E50 E90 S70", false],
    ["a success after what was dismissed, with a later error", "E100", "S150 E200", true],
    ["the same in the other order", "E100", "E200 S150", true],
    ["the same, with a repeated error", "E100", "E200 E300 S150", true],
    ["a late success within the failure that was dismissed", "E50 E100", "S70", true],
    ["a success and another error within the second", "E100.1", "S100.2 E100.3", true],
    ["the same in the other order", "E100.1", "E100.3 S100.2", true],
    ["all of that", "E100.1", "E100.3 E50 S70 S100.2", true],
  ];
  for (const [name, before, after, isOver, isExpected] of CASES.flatMap((cared) => [
    [...cared, false] as const,
    [...cared, true] as const,
  ]))
    test(`${name}: ${before}, then ${after}${isExpected ? ", in flushes" : ""}`, async () => {
      await app.report({});
      const check = await newCheck(app, "web");
      for (const text of before.split(" ")) store(app, check, pointOf(text), isExpected);
      const [active] = app.rows<{ id: number }>("select id from events where active = true");
      const fields = { id: active?.id ?? 0 };
      expect((await admin.post("/api/1/problems/acknowledge", { ...fields, until: "" })).status).toBe(200);
      expect((await admin.post("/api/1/reports/events/dismiss", fields)).status).toBe(200);
      for (const text of after.split(" ")) store(app, check, pointOf(text), isExpected);
      const open = app.rows(
        `select dismissed, exists (select 1 from acknowledgements where event_id = events.id and ended_at is null)
         as acknowledged from events where active = true`,
      );
      expect(open).toEqual([{ dismissed: Number(!isOver), acknowledged: Number(!isOver) }]);
      expect(app.rows("select id from acknowledgements where ended_at is null")).toHaveLength(isOver ? 0 : 1);
    });
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
  for (const [points, spans, why] of CASES) test(why, () => expect(line(points)).toEqual(spans));
});
