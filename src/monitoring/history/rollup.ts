/** Aggregates samples per period: minimum, sum, maximum and count of each statistic. */
import type { BlockRow } from "./block.ts";
import { SCALES, scaled } from "./column.ts";
import { startOf } from "./resolutions.ts";

/** The aggregate of a statistic over a period. The mean is sum / count. */
export interface Aggregate {
  min: number;
  sum: number;
  max: number;
  count: number;
}

/** The aggregates of statistics over one period, by the id of the statistic. */
export interface AggregatedPeriod {
  /** Start of the period, unix seconds. */
  at: number;
  aggregates: Map<number, Aggregate>;
}

const PARTS = ["min", "sum", "max", "count"] as const;

/** The ids of the four block columns that hold a statistic's aggregate. */
export function columnsOf(statisticId: number): number[] {
  return PARTS.map((_, part) => statisticId * PARTS.length + part);
}

/** Sums decimals with few digits as scaled integers: 0.1 + 0.2 is exactly 0.3 and compresses well. */
function exactSum(values: number[]): number {
  const floats = Float64Array.from(values);
  for (const scale of SCALES) {
    const scaledValues = scaled(floats, scale);
    if (scaledValues) return scaledValues.reduce((sum, n) => sum + n, 0) / scale;
  }
  return floats.reduce((sum, value) => sum + value, 0);
}

/** Merges aggregates of the same period. */
function merge(parts: readonly Aggregate[]): Aggregate {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return {
    min: Math.min(...parts.map(({ min }) => min)),
    sum: exactSum(parts.map(({ sum }) => sum)),
    max: Math.max(...parts.map(({ max }) => max)),
    count: parts.reduce((sum, { count }) => sum + count, 0),
  };
}

/** The aggregate of a single value. */
export function single(value: number): Aggregate {
  return { min: value, sum: value, max: value, count: 1 };
}

/** Each sample as a period of its own. Values that are not numbers are left out. */
export function periodsOfSamples(rows: readonly BlockRow[]): AggregatedPeriod[] {
  return rows.map(({ at, ids, values }) => {
    const aggregates = new Map<number, Aggregate>();
    for (const [i, id] of ids.entries()) {
      const value = values[i] ?? Number.NaN;
      if (!Number.isNaN(value)) aggregates.set(id, single(value));
    }
    return { at, aggregates };
  });
}

/** Aggregates samples to periods of `seconds`. Equivalent to `rollUp` but allocates no object per value. */
export function rollUpSamples(rows: readonly BlockRow[], seconds: number): AggregatedPeriod[] {
  return [...Map.groupBy(rows, ({ at }) => startOf(at, seconds))].map(([at, within]) => {
    const numbers = new Map<number, number[]>();
    for (const { ids, values } of within)
      for (let i = 0; i < ids.length; i++) {
        const value = values[i] ?? Number.NaN;
        if (Number.isNaN(value)) continue;
        const previous = numbers.get(ids[i] ?? 0);
        if (previous) previous.push(value);
        else numbers.set(ids[i] ?? 0, [value]);
      }
    const aggregates = new Map<number, Aggregate>();
    for (const [id, values] of numbers)
      aggregates.set(id, {
        min: Math.min(...values),
        sum: exactSum(values),
        max: Math.max(...values),
        count: values.length,
      });
    return { at, aggregates };
  });
}

/** Merges periods into longer ones of `seconds`. */
export function rollUp(periods: readonly AggregatedPeriod[], seconds: number): AggregatedPeriod[] {
  const longer = Map.groupBy(periods, ({ at }) => startOf(at, seconds));
  return [...longer].map(([at, within]) => {
    const [only] = within;
    if (only?.at === at && within.length === 1) return only;
    const parts = new Map<number, Aggregate[]>();
    for (const { aggregates } of within)
      for (const [id, aggregate] of aggregates) {
        const previous = parts.get(id);
        if (previous) previous.push(aggregate);
        else parts.set(id, [aggregate]);
      }
    return { at, aggregates: new Map([...parts].map(([id, aggregates]) => [id, merge(aggregates)])) };
  });
}

/** Converts periods to rows of a block. */
export function rowsOfPeriods(periods: readonly AggregatedPeriod[]): BlockRow[] {
  return periods.map(({ at, aggregates }) => ({
    at,
    ids: Uint32Array.from([...aggregates.keys()].flatMap(columnsOf)),
    values: Float64Array.from(
      [...aggregates.values()].flatMap((aggregate) => PARTS.map((part) => aggregate[part])),
    ),
  }));
}

/** The inverse of `rowsOfPeriods`. */
export function periodsOfRows(rows: readonly BlockRow[]): AggregatedPeriod[] {
  return rows.map(({ at, ids, values }) => {
    const aggregates = new Map<number, Aggregate>();
    for (let i = 0; i + PARTS.length <= ids.length; i += PARTS.length) {
      const [min = 0, sum = 0, max = 0, count = 0] = values.subarray(i, i + PARTS.length);
      aggregates.set(Math.floor((ids[i] ?? 0) / PARTS.length), { min, sum, max, count });
    }
    return { at, aggregates };
  });
}
