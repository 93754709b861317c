/** What a late event reads and writes does not depend on how many points its check has. */
import { describe, expect, test } from "bun:test";
import { nameIdOf } from "../../../src/monitoring/events/events.repository.ts";
import { RowsRead } from "../../platform/queries/rows-read.ts";
import { TestApp } from "../../support/app.ts";
import { plansOf } from "../../support/plans.ts";

/** An error (E) or a success (S) of a check; `usec` orders those of a second. */
type Point = readonly [kind: "E" | "S", date: number, usec: number];

/** @param nameId of the service */
function record(app: TestApp, nameId: number, [kind, date, collectedUsec]: Point): void {
  const check = { hostId: 1, nameId, eventType: 512 };
  const stamp = { date, collectedSec: date, collectedUsec };
  const state = kind === "E" ? 1 : 0;
  app.events.record(
    { ...check, ...stamp, serviceType: 3, state, action: 1, message: "" },
    1,
    app.clock.now(),
  );
}

/** The rows that each late point reads and changes, after those of a line. */
async function costOf(line: readonly Point[], late: readonly Point[]) {
  const counter = new RowsRead();
  counter.start();
  try {
    const app = new TestApp();
    await app.report({});
    const nameId = nameIdOf(app.db, "web");
    for (const point of line) record(app, nameId, point);
    const changes = () => app.rows<{ n: number }>("select total_changes() as n")[0]?.n ?? 0;
    return late.map((point) => {
      const before = changes();
      counter.reset();
      record(app, nameId, point);
      const { rows } = counter;
      return { point, read: rows, changed: changes() - before };
    });
  } finally {
    counter.stop();
  }
}

const points = (count: number, at: (i: number) => Point) => Array.from({ length: count }, (_, i) => at(i));
const alternate = (i: number) => (i % 2 === 0 ? "E" : "S");

interface Case {
  /** As many points of a check. */
  line: (count: number) => Point[];
  late: readonly Point[];
}

const CASES: Record<string, Case> = {
  "many failures follow": {
    line: (count) => points(count, (i) => [alternate(i), 2000 + 10 * i, 0]),
    late: [
      ["S", 1000, 0],
      ["E", 1100, 0],
      ["S", 1200, 0],
      ["S", 2005, 0],
      ["E", 2007, 0],
      ["E", 2015, 0],
    ],
  },
  "many errors of an open failure": {
    line: (count) => points(count, (i) => ["E", 2000 + 10 * i, 0]),
    late: [
      ["E", 1000, 0],
      ["E", 2005, 0],
      ["S", 2015, 0],
      ["S", 1500, 0],
    ],
  },
  "many points in one second": {
    line: (count) => points(count, (i) => [alternate(i), 2000, 10 + i]),
    late: [
      ["E", 2000, 5],
      ["E", 2000, 5000],
      ["S", 2000, 15],
      ["S", 2000, 5001],
      ["E", 1000, 0],
    ],
  },
};

describe("a late event reads and changes as many rows whether a check has ten points or hundreds", () => {
  for (const [name, { line, late }] of Object.entries(CASES))
    test(name, async () => {
      const few = await costOf(line(10), late);
      expect(await costOf(line(400), late)).toEqual(few);
      for (const { read, changed } of few) {
        expect(read).toBeLessThan(40);
        expect(changed).toBeLessThan(20);
      }
    });
});

test("all statements about a late event find its check and its second by an index", async () => {
  const app = new TestApp();
  await app.report({});
  const nameId = nameIdOf(app.db, "web");
  const plans = plansOf(app, () => {
    for (const point of [
      ["E", 1000, 0],
      ["S", 1010, 0],
      ["S", 1005, 0],
    ] as const)
      record(app, nameId, point);
  });
  const reads = plans.filter((detail) =>
    /^(SCAN|SEARCH) (events|downtime_intervals|silent_recoveries|i)\b/.test(detail),
  );
  expect(reads.length).toBeGreaterThan(15);
  for (const detail of reads) expect(detail).toMatch(/_of_check|INTEGER PRIMARY KEY/);
});
