/**
 * Incidents whose order is known, each through the collector and the API. Seeds are fixed, so each list is always the same. The
 * method was chosen with other ones.
 */
import { describe, expect, test } from "bun:test";
import { isOf, type MovedRecord, placeOf, type Trial, tryIncident } from "../../bench/incident-site.ts";
import { KINDS } from "../../bench/incident-world.ts";

/** Two of each kind, which follows from the seed. */
const SEEDS = [500, 505, 501, 506, 502, 507, 508, 513, 504, 509];
/** In the hours of these, the rhythm of some hosts rises or falls. */
const QUIET_SEEDS = [600, 601, 602];

const trials: Trial[] = [];
for (const seed of SEEDS) trials.push(await tryIncident(seed));

/** Whether one is certain to have moved before the other. */
const isBefore = (a: MovedRecord, b: MovedRecord) => a.latest <= b.earliest;

describe.each(KINDS)("%s", (kind) => {
  const ofKind = trials.filter(({ made }) => made?.kind === kind);

  test("what moved first stands first", () => {
    expect(ofKind.map(placeOf)).toEqual([1, 1]);
  });

  test("nothing is listed that did not move, and what did within its uncertainty", () => {
    for (const { made, records } of ofKind)
      for (const record of records) {
        const at = made?.effects.find((effect) => isOf(record, effect))?.at ?? Number.NaN;
        expect(record.earliest).toBeLessThan(at);
        expect(record.latest).toBeGreaterThanOrEqual(at);
      }
  });
});

test("entries share a tie exactly if their order is not known", () => {
  const isTied: boolean[] = [];
  for (const { records } of trials)
    for (const record of records) {
      const sameTie = records.filter(({ tie }) => tie === record.tie);
      isTied.push(sameTie.length > 1);
      expect(sameTie.filter((other) => isBefore(other, record) || isBefore(record, other))).toEqual([]);
      const previous = records.filter(({ tie }) => tie === record.tie - 1);
      expect(previous.some((other) => isBefore(other, record))).toBe(record.tie > 1);
      expect(records.filter((other) => isBefore(record, other) && other.tie <= record.tie)).toEqual([]);
    }
  expect(new Set(isTied)).toEqual(new Set([true, false]));
});

test("of a quiet fleet nothing is listed, whatever the time of day", async () => {
  for (const seed of QUIET_SEEDS)
    expect((await tryIncident(seed, { isQuiet: true, hasJobs: false })).records).toEqual([]);
});
