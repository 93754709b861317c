/** The distribution of a metric over many hosts, and how far a host is from the others. Pure functions. */
import { deviation, median } from "../../platform/median.ts";

/** Bins of a distribution. */
const BINS = 20;
/** Fewest hosts of a group from which a usual value can be derived. */
export const MIN_GROUP = 5;
/** Distance from the median, in spreads, at which a value is far away; suggested by Iglewicz and Hoaglin (1993). */
export const FAR = 3.5;
/** Smallest spread, as a part of the median: nearly identical hosts are not far from each other. */
const MIN_SPREAD = 0.05;

export interface Bin {
  from: number;
  to: number;
  hosts: number;
}

/**
 * How many values are in each of 20 equal bins; a value between two bins is in the upper one.
 * @param isPercent whether the bins range from 0 to 100, so that distributions of percentages can be compared
 */
export function distributionOf(values: readonly number[], isPercent: boolean): Bin[] {
  if (values.length === 0) return [];
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  const from = isPercent ? Math.min(0, lowest) : lowest;
  const to = isPercent ? Math.max(100, highest) : highest;
  if (from === to) return [{ from, to, hosts: values.length }];
  const width = (to - from) / BINS;
  const bins = Array.from({ length: BINS }, (_, i) => ({
    from: from + i * width,
    to: from + (i + 1) * width,
    hosts: 0,
  }));
  for (const value of values) {
    const bin = bins[Math.min(BINS - 1, Math.floor((value - from) / width))];
    if (bin) bin.hosts++;
  }
  return bins;
}

/** The usual values of a group. */
export interface Usual {
  median: number;
  /** The distance from the median that is a score of 1. */
  spread: number;
}

/** The usual values of a group; null if there are too few values, or all are 0. */
export function usualOf(values: readonly number[]): Usual | null {
  if (values.length < MIN_GROUP) return null;
  const middle = median(values);
  const spread = Math.max(deviation(values), MIN_SPREAD * Math.abs(middle));
  return spread === 0 ? null : { median: middle, spread };
}

/** The distance of a value from the median, in spreads; negative below the median. */
export function scoreOf(value: number, { median, spread }: Usual): number {
  return (value - median) / spread;
}
