import type { Clock } from "../../platform/clock.ts";
import { declareError, found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import { historyOf, pastOf } from "../past/past.ts";
import type { Interval } from "../uptime/intervals.ts";
import { type RangeOrDates, reportWindow } from "../uptime/range.ts";
import { type BlockRow, decodeBlock } from "./block.ts";
import { completeSince } from "./complete-since.ts";
import {
  blocksWithin,
  looseSamples,
  type StatisticFilter,
  statisticsOfHistory,
} from "./history.repository.ts";
import { withoutUnknown } from "./known-values.ts";
import { FIVE_MINUTES, HOURLY, RAW, RESOLUTIONS, type Resolution, startOf } from "./resolutions.ts";
import {
  type AggregatedPeriod,
  columnsOf,
  periodsOfRows,
  periodsOfSamples,
  rollUp,
  rollUpSamples,
} from "./rollup.ts";
import { alignSeries } from "./series.ts";
import { unpackedSamples } from "./unpacked.ts";

/** The most values of a reply: of each series a minimum, a mean and a maximum at each point. */
const MAX_VALUES = 500_000;
/** The most stored values that are read for a reply, which takes some seconds. */
const MAX_STORED = 2_000_000;

/** Minimum, mean and maximum. */
const VALUES_PER_POINT = 3;
/** How long samples are usually kept before they are packed into blocks, seconds. */
const UNPACKED_SECONDS = 2 * 3600;
const HOW = "ask for fewer points, a shorter time, or one service or type of statistic";

export const tooManyValues = declareError(
  400,
  "history.values",
  "The reply would have more than 500,000 values, or take more than 2,000,000 stored ones to calculate",
  (values: number, of: "reply" | "stored") =>
    of === "stored"
      ? `That takes about ${values} stored values, more than the ${MAX_STORED} that are read at once: ${HOW}`
      : `That would be ${values} values, more than the ${MAX_VALUES} of a reply: ${HOW}`,
);

/** How many periods of a length begin in a window. */
function countOf({ from, to }: Interval, seconds: number): number {
  return Math.ceil(Math.max(0, to - from) / Math.max(1, seconds));
}

/** How long and how often a host has reported. */
export interface Reporting {
  /** Unix seconds. Nothing of the host is older. */
  createdAt: number;
  /** Seconds between two reports. */
  poll: number;
}

/** The part of a window in which the host existed. */
function sinceCreation({ from, to }: Interval, { createdAt }: Reporting): Interval {
  return { from: Math.max(from, createdAt), to };
}

/** @throws ApiError 400 */
export function refuseTooManyStored(values: number): void {
  if (values > MAX_STORED) throw tooManyValues(values, "stored");
}

export interface HistoryRequest extends StatisticFilter, RangeOrDates {
  hostid: number;
  points: number;
}

/** The parts of a window outside these days. @param days their starts, unix seconds */
function otherDays(window: Interval, days: ReadonlySet<number>): Interval[] {
  const spans: Interval[] = [];
  const end = (day: number) => Math.min(day + HOURLY.blockSpan, window.to);
  for (let day = startOf(window.from, HOURLY.blockSpan); day < window.to; day += HOURLY.blockSpan) {
    if (days.has(day)) continue;
    const last = spans.at(-1);
    if (last?.to === day) spans[spans.length - 1] = { from: last.from, to: end(day) };
    else spans.push({ from: Math.max(day, window.from), to: end(day) });
  }
  return spans;
}

/** Keeps only some statistics of samples. Their positions are looked up once per layout. */
function selected(rows: readonly BlockRow[], columnIds: ReadonlySet<number>): BlockRow[] {
  const layouts = new Map<Uint32Array, { ids: Uint32Array; places: number[] }>();
  return rows.map(({ at, ids: storedIds, values }) => {
    let layout = layouts.get(storedIds);
    if (!layout) {
      const places = Array.from(storedIds.keys()).filter((i) => columnIds.has(storedIds[i] ?? 0));
      layout = { ids: Uint32Array.from(places, (i) => storedIds[i] ?? 0), places };
      layouts.set(storedIds, layout);
    }
    return { at, ids: layout.ids, values: Float64Array.from(layout.places, (i) => values[i] ?? 0) };
  });
}

/** Statistics over time. */
export class History {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** Statistics of a host over time. @throws ApiError 404 for an unknown host, 400 if it has too many values */
  get(request: HistoryRequest, scope: Scope) {
    const { hostid, points } = request;
    const host = found(findHost(this.db, hostid, scope), "host", hostid);
    const window = reportWindow(request, this.clock.now(), this.settings.get("timezone"));
    const statistics = statisticsOfHistory(this.db, hostid, request);
    const ids = statistics.map(({ id }) => id);
    const resolution = this.resolutionFor(window, points);
    const spacing = resolution === RAW ? host.poll : resolution.seconds;
    const periodsAtMost = countOf(sinceCreation(window, host), spacing) + 1;
    const values = ids.length * VALUES_PER_POINT * Math.min(points, periodsAtMost);
    if (values > MAX_VALUES) throw tooManyValues(values, "reply");
    refuseTooManyStored(ids.length * this.storedPeriods(window, resolution, host));
    const periods = this.periods(hostid, resolution, window, new Set(ids));
    const { times, series } = alignSeries(periods, ids, { window, spacing, limit: points });
    return {
      hostid,
      hostname: host.hostname,
      datefrom: window.from,
      dateto: window.to,
      resolution: resolution.seconds,
      times,
      series: statistics.map((statistic) => {
        const aggregates = series.get(statistic.id) ?? [];
        return {
          ...statistic,
          min: aggregates.map((aggregate) => aggregate?.min ?? null),
          mean: aggregates.map(
            (aggregate) =>
              aggregate && (aggregate.count === 1 ? aggregate.sum : aggregate.sum / aggregate.count),
          ),
          max: aggregates.map((aggregate) => aggregate?.max ?? null),
        };
      }),
    };
  }

  /** Approximately how many stored periods of one series of a host are read for a window. */
  storedPeriods(window: Interval, resolution: Resolution, host: Reporting): number {
    const now = this.clock.now();
    const { poll } = host;
    const { from: first } = sinceCreation(window, host);
    const to = Math.min(window.to, now);
    const since = (from: number) => ({ from: Math.max(first, from), to });
    const retained = since(this.#completeSince(resolution));
    if (resolution === RAW) return countOf(retained, poll);
    // The newest ones are not rolled up yet.
    const coarse = countOf(retained, resolution.seconds) + countOf(since(now - UNPACKED_SECONDS), poll);
    return resolution === HOURLY
      ? coarse + countOf(since(now - HOURLY.blockSpan), FIVE_MINUTES.seconds)
      : coarse;
  }

  /** The coarsest resolution that has enough points and is complete from the start of the window on. */
  resolutionFor(window: Interval, points: number): Resolution {
    const step = (window.to - window.from) / points;
    const isComplete = (resolution: Resolution) => window.from >= this.#completeSince(resolution);
    const fineEnough = RESOLUTIONS.filter(({ seconds }) => seconds <= step || seconds === RAW.seconds);
    return fineEnough.findLast(isComplete) ?? RESOLUTIONS.find(isComplete) ?? HOURLY;
  }

  #completeSince(resolution: Resolution): number {
    return completeSince(historyOf(this.db), this.settings, resolution, this.clock.now());
  }

  /**
   * The stored periods of the statistics, in order of time, from blocks and from unpacked samples. The
   * period that contains the start of the window is included whole.
   */
  periods(
    hostId: number,
    resolution: Resolution,
    { from, to: requestedTo }: Interval,
    ids: ReadonlySet<number>,
  ): AggregatedPeriod[] {
    const past = pastOf(this.db);
    const to = past ? Math.min(requestedTo, past.at + 1) : requestedTo;
    // Several messages can arrive within one second.
    const seconds = Math.max(1, resolution.seconds);
    const window = { from: startOf(from, seconds), to };
    const { samples, blocksBefore } =
      resolution === RAW
        ? { samples: looseSamples(historyOf(this.db), hostId, window), blocksBefore: Infinity }
        : unpackedSamples(this.db, hostId, window);
    const packed =
      resolution === RAW
        ? this.#measured(hostId, window, ids)
        : this.#summedUp(hostId, resolution, window, ids, blocksBefore);
    const loose = withoutUnknown(historyOf(this.db), selected(samples, ids));
    const unpacked = resolution === RAW ? periodsOfSamples(loose) : rollUpSamples(loose, seconds);
    const periods = [...packed, ...unpacked]
      .filter(({ at }) => at >= window.from && at < window.to)
      .sort((a, b) => a.at - b.at);
    return rollUp(periods, seconds);
  }

  #measured(hostId: number, window: Interval, ids: ReadonlySet<number>): AggregatedPeriod[] {
    const rows = blocksWithin(historyOf(this.db), hostId, RAW, window).flatMap(({ payload }) =>
      decodeBlock(payload, ids),
    );
    return periodsOfSamples(withoutUnknown(historyOf(this.db), rows));
  }

  /**
   * Aggregates from blocks. Days that are not rolled up to hours yet are read at the finer resolution.
   * @param blocksBefore blocks that begin then or later are left out, unix seconds
   */
  #summedUp(
    hostId: number,
    resolution: Resolution,
    window: Interval,
    ids: ReadonlySet<number>,
    blocksBefore: number,
  ): AggregatedPeriod[] {
    const columns = new Set([...ids].flatMap(columnsOf));
    const read = (of: Resolution, within: Interval) =>
      blocksWithin(historyOf(this.db), hostId, of, within)
        // An hourly block covers a day. Its part before the moment is in finer blocks.
        .filter(({ start }) => start + of.blockSpan - FIVE_MINUTES.blockSpan < blocksBefore)
        .map(({ start, payload }) => ({ start, periods: periodsOfRows(decodeBlock(payload, columns)) }));
    const blocks = read(resolution, window);
    if (resolution !== HOURLY) return blocks.flatMap(({ periods }) => periods);
    const days = new Set(blocks.map(({ start }) => start));
    const unaggregated = otherDays(window, days).flatMap((span) => read(FIVE_MINUTES, span));
    return [...blocks, ...unaggregated].flatMap(({ periods }) => periods);
  }
}
