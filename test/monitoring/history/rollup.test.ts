import { describe, expect, test } from "bun:test";
import { type Aggregate, periodsOfRows } from "../../../src/monitoring/history/rollup.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";
import { DAY_START, HistoryFixture, HOUR } from "./history-fixture.ts";

const DECIMALS = 6;

/** The sum of decimals, as the number next to the true one. */
function decimalSum(values: readonly number[]): number {
  const whole = values.reduce((sum, value) => sum + BigInt(Math.round(value * 10 ** DECIMALS)), 0n);
  return Number(`${whole}e-${DECIMALS}`);
}

/** Periods of all samples of a host, one after the other: "start statistic" -> aggregate. */
function naive(fixture: HistoryFixture, hostId: number, seconds: number): Map<string, Aggregate> {
  const values = new Map<string, number[]>();
  for (const { at, ids, values: of } of fixture.shadow.get(hostId) ?? [])
    for (const [i, id] of ids.entries()) {
      const value = of[i] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      const key = `${at - (at % seconds)} ${id}`;
      values.set(key, [...(values.get(key) ?? []), value]);
    }
  const aggregates = [...values].map(([key, parts]): [string, Aggregate] => {
    const sorted = parts.toSorted((a, b) => a - b);
    const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
    return [key, { min, sum: decimalSum(parts), max, count: parts.length }];
  });
  return new Map(aggregates.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function storedPeriods(fixture: HistoryFixture, hostId: number, seconds: number): Map<string, Aggregate> {
  const periods = fixture.blocks(hostId, seconds).flatMap(({ rows }) => periodsOfRows(rows));
  for (const [i, { at }] of periods.entries()) expect(at).toBeGreaterThan(periods[i - 1]?.at ?? 0);
  const entries = periods.flatMap(({ at, aggregates }) =>
    [...aggregates].map(([id, aggregate]): [string, Aggregate] => [`${at} ${id}`, aggregate]),
  );
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Samples with decimals, whole numbers and missing values; statistics come and go. */
function measure(fixture: HistoryFixture, random: Random, hostId: number, from: number, to: number): void {
  for (let at = from; at < to; at += random.chance(0.01) ? 4000 : random.between(0, 120)) {
    const ids = [1, 2, 3, 4, 5].filter(() => random.chance(0.9));
    const values = ids.map((id) =>
      random.chance(0.02)
        ? Number.NaN
        : 0 + Number(((random.fraction() - 0.2) * 10 ** id).toFixed(random.pick([0, 1, 2, 3, DECIMALS]))),
    );
    fixture.addSample(hostId, at, ids, Float64Array.from(values));
  }
}

function expectSummedUp(fixture: HistoryFixture, hosts: readonly number[], seconds: number): void {
  for (const host of hosts)
    expect({ host, seconds, periods: storedPeriods(fixture, host, seconds) }).toEqual({
      host,
      seconds,
      periods: naive(fixture, host, seconds),
    });
}

describe("minimum, sum, maximum and count per period are those of all samples in it", () => {
  for (let seed = 1; seed <= 5; seed++)
    test(`over a day and a half, seed ${seed}`, async () => {
      const fixture = new HistoryFixture();
      const random = new Random(seed);
      const hosts = [await fixture.addHost("a"), await fixture.addHost("b")];
      for (const host of hosts)
        measure(fixture, random, host, DAY_START + random.below(HOUR), DAY_START + 30 * HOUR);
      fixture.app.clock.step(18 * HOUR + 60);
      fixture.pack();
      expectSummedUp(fixture, hosts, 300);
      expect(fixture.app.settings.get("rolledthrough")).toBe(DAY_START + 24 * HOUR);
      fixture.app.clock.step(18 * HOUR);
      fixture.pack();
      expectSummedUp(fixture, hosts, 300);
      expectSummedUp(fixture, hosts, 3600);
    });

  for (let seed = 1; seed <= 5; seed++)
    test(`also with late samples of days that were summed up before, seed ${seed}`, async () => {
      const fixture = new HistoryFixture();
      const random = new Random(seed);
      const hosts = [await fixture.addHost("a"), await fixture.addHost("b")];
      for (const host of hosts) measure(fixture, random, host, DAY_START, DAY_START + 24 * HOUR);
      fixture.app.clock.step(12 * HOUR + 60);
      fixture.pack();
      for (let round = 0; round < 3; round++) {
        for (const host of hosts) {
          const from = DAY_START - 30 * HOUR + random.below(50 * HOUR);
          measure(fixture, random, host, from, from + random.below(3 * HOUR));
        }
        fixture.app.clock.step(HOUR);
        fixture.pack();
      }
      expectSummedUp(fixture, hosts, 300);
      expectSummedUp(fixture, hosts, 3600);
    });
});

test("sums of decimals are exact", async () => {
  const fixture = new HistoryFixture();
  const id = await fixture.addHost("a");
  for (let i = 0; i < 360; i++)
    fixture.addSample(id, DAY_START + i * 10, [1, 2], Float64Array.of(0.1, 1234.567));
  fixture.app.clock.step(12 * HOUR + 60);
  fixture.pack();
  const [hour] = periodsOfRows(fixture.blocks(id, 3600)[0]?.rows ?? []);
  expect(hour?.aggregates.get(1)).toEqual({ min: 0.1, sum: 36, max: 0.1, count: 360 });
  expect(hour?.aggregates.get(2)).toEqual({ min: 1234.567, sum: 444_444.12, max: 1234.567, count: 360 });
});

test("late samples add to what is summed up, when the samples it was made of are past their retention", async () => {
  const fixture = new HistoryFixture();
  const id = await fixture.addHost("a");
  const samples = (values: number[], from: number) =>
    values.forEach((value, i) => {
      fixture.addSample(id, from + i * 60, [1], Float64Array.of(value));
    });
  samples([1, 2, 3], DAY_START);
  samples([4, 5, 6], DAY_START + HOUR);
  fixture.app.clock.step(12 * HOUR + 60);
  fixture.pack();
  fixture.app.db.$client.run("delete from history_blocks where resolution = 0");
  for (const value of [10, 20]) {
    samples([value], DAY_START + 200);
    fixture.app.clock.step(HOUR);
    fixture.pack();
  }
  expectSummedUp(fixture, [id], 300);
  fixture.app.db.$client.run("delete from history_blocks where resolution in (0, 300)");
  samples([30], DAY_START + 240);
  fixture.app.clock.step(HOUR);
  fixture.pack();
  expectSummedUp(fixture, [id], 3600);
  expect(START).toBe(DAY_START + 12 * HOUR);
});
