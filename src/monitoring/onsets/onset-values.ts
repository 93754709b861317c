import type { Db } from "../../platform/storage/open.ts";
import { decodeColumns, LayoutMemo } from "../history/block.ts";
import { blocksWithin, looseSamples } from "../history/history.repository.ts";
import { FIVE_MINUTES, RAW } from "../history/resolutions.ts";
import { columnsOf } from "../history/rollup.ts";
import type { Interval } from "../uptime/intervals.ts";
import { earlier, gridOf, type OnsetWindow, REFERENCE_DAYS, readSpan } from "./onset-window.ts";
import type { Periods } from "./rhythm.ts";

/** The reports of a host within a span. */
interface Reports {
  /** Unix seconds, ascending. */
  times: Float64Array;
  /** By statistic; NaN for a report without it. */
  values: Map<number, Float64Array>;
}

/** Every report of a host within a span, from blocks and from samples that are not packed yet. */
function reports(db: Db, hostId: number, ids: readonly number[], span: Interval): Reports {
  const rows: { at: number; values: readonly number[] }[] = [];
  const positions = new Map(ids.map((id, i) => [id, i]));
  const memo = new LayoutMemo();
  for (const { payload } of blocksWithin(db, hostId, RAW, span)) {
    const { times, columns } = decodeColumns(payload, positions, memo);
    for (const [r, at] of times.entries())
      if (at >= span.from && at < span.to)
        rows.push({ at, values: columns.map((column) => column[r] ?? Number.NaN) });
  }
  for (const { at, ids: stored, values } of looseSamples(db, hostId, span)) {
    const row = new Array<number>(ids.length).fill(Number.NaN);
    for (const [i, id] of stored.entries()) {
      const position = positions.get(id);
      if (position !== undefined) row[position] = values[i] ?? Number.NaN;
    }
    rows.push({ at, values: row });
  }
  rows.sort((a, b) => a.at - b.at);
  return {
    times: Float64Array.from(rows, ({ at }) => at),
    values: new Map(
      ids.map((id, i) => [id, Float64Array.from(rows, ({ values }) => values[i] ?? Number.NaN)]),
    ),
  };
}

/** The five-minute periods of an earlier day on the grid of the window, by statistic; null for a day without any. */
function periodsOfDay(
  db: Db,
  hostId: number,
  ids: readonly number[],
  span: Interval,
  memo: LayoutMemo,
): Map<number, Periods> | null {
  const blocks = blocksWithin(db, hostId, FIVE_MINUTES, span);
  if (blocks.length === 0) return null;
  const count = Math.ceil((span.to - span.from) / FIVE_MINUTES.seconds);
  const missing = () => new Float64Array(count).fill(Number.NaN);
  const periods = new Map(ids.map((id) => [id, { min: missing(), mean: missing(), max: missing() }]));
  const positions = new Map(ids.flatMap(columnsOf).map((column, i) => [column, i]));
  const partCount = positions.size / Math.max(1, ids.length);
  for (const { payload } of blocks) {
    const { times, columns } = decodeColumns(payload, positions, memo);
    for (const [r, at] of times.entries()) {
      if (at < span.from || at >= span.to) continue;
      const period = (at - span.from) / FIVE_MINUTES.seconds;
      for (const [i, id] of ids.entries()) {
        const value = (part: number) => columns[i * partCount + part]?.[r] ?? Number.NaN;
        const [min, sum, max, number] = [value(0), value(1), value(2), value(3)];
        const of = periods.get(id);
        if (!of || !(number > 0)) continue;
        of.min[period] = min;
        of.mean[period] = sum / number;
        of.max[period] = max;
      }
    }
  }
  return periods;
}

/** What a search for onsets reads of a host: its reports around the failure, and the same hours of earlier days. */
export function onsetValues(db: Db, hostId: number, ids: readonly number[], window: OnsetWindow) {
  const { start, count } = gridOf(window);
  const span = { from: start, to: start + count * FIVE_MINUTES.seconds };
  const memo = new LayoutMemo();
  const days = REFERENCE_DAYS.flatMap((day) => periodsOfDay(db, hostId, ids, earlier(span, day), memo) ?? []);
  const { times, values } = reports(db, hostId, ids, readSpan(window));
  return {
    times,
    /** @returns the values of a statistic, and its periods on earlier days */
    of: (id: number) => ({
      values: values.get(id) ?? new Float64Array(),
      days: days.flatMap((day) => day.get(id) ?? []),
    }),
  };
}
