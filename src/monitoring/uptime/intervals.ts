/** Arithmetic of half-open time intervals in unix seconds: `from` is included, `to` is not. Pure. */

export interface Interval {
  from: number;
  to: number;
}

/** Divides a window into cells of equal length, up to rounding. */
export function cellsOf({ from, to }: Interval, cells: number): Interval[] {
  const edge = (i: number) => from + Math.round(((to - from) * i) / cells);
  return Array.from({ length: cells }, (_, i) => ({ from: edge(i), to: edge(i + 1) }));
}

/** Merges intervals into sorted ones that do not touch. Drops empty ones. */
export function union(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  const merged: Interval[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** The parts within `window`. */
export function clip(intervals: readonly Interval[], window: Interval): Interval[] {
  return intervals
    .map(({ from, to }) => ({ from: Math.max(from, window.from), to: Math.min(to, window.to) }))
    .filter(({ from, to }) => from < to);
}

/** Subtracts `holes` from `intervals`. Both must be results of `union`. */
export function subtract(intervals: readonly Interval[], holes: readonly Interval[]): Interval[] {
  const remaining: Interval[] = [];
  let h = 0;
  for (const { from, to } of intervals) {
    let start = from;
    while (h < holes.length && (holes[h]?.to ?? 0) <= start) h++;
    for (let i = h; i < holes.length; i++) {
      const hole = holes[i];
      if (!hole || hole.from >= to) break;
      if (hole.from > start) remaining.push({ from: start, to: hole.from });
      start = Math.max(start, hole.to);
    }
    if (start < to) remaining.push({ from: start, to });
  }
  return remaining;
}

/** Total length in seconds. The intervals must not overlap. */
export function measure(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from, 0);
}
