/** Finds what numbers of hosts left their rhythm before a failure. */
import { COUNTERS, STATISTIC, STATISTIC_TYPES } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { statisticsOfHistory } from "../history/history.repository.ts";
import { isUnknownBelowZero } from "../history/known-values.ts";
import { codeChanges, unusualChanges } from "./code-changes.ts";
import { hasEnough, type Onset, onsetOf, thresholdOf } from "./onset-detection.ts";
import { onsetValues } from "./onset-values.ts";
import { type OnsetWindow, REFERENCE_DAYS, readSpan } from "./onset-window.ts";

/** The most numbers of one host that are tested. */
const MAX_OF_HOST = 500;
/** The most values that are read for one failure, which takes about a second. */
const MAX_VALUES = 2_000_000;
/** Values of an earlier day: minimum, sum, maximum and count of five minutes. */
const VALUES_OF_DAY = 4 * 24;

const S = STATISTIC;
/** Numbers that say the same as another one of their service. */
const TWINS: ReadonlyMap<number, number> = new Map(
  [
    [S.memoryKb, S.memoryPercent],
    [S.swapKb, S.swapPercent],
    [S.processMemoryKb, S.processMemory],
    [S.processMemoryKbTotal, S.processMemoryTotal],
    [S.spaceMb, S.spacePercent],
    [S.inodeCount, S.inodePercent],
  ].map(([number, share]) => [number?.code ?? 0, share?.code ?? 0]),
);
/** These change with every report. */
const ALWAYS_MOVING: ReadonlySet<number> = new Set([S.uptime.code, S.timestamp.code]);
/** Every change of these counts, as their numbers have no size. */
const CODES: ReadonlySet<number> = new Set(
  [S.pid, S.mode, S.uid, S.gid, S.effectiveUid, S.linkState, S.programStatus].map(({ code }) => code),
);

type Statistic = ReturnType<typeof statisticsOfHistory>[number];

/** A host whose numbers are tested. */
export interface SearchedHost {
  id: number;
  hostname: string;
  /** Seconds between two reports. */
  poll: number;
}

interface Move extends Omit<Onset, "of"> {
  /** A code changed, or a number left its level or spread. */
  of: Onset["of"] | "code";
}

/** A change of a number, with its host and statistic. */
export interface FoundOnset extends Move, Omit<Statistic, "id"> {
  host: SearchedHost;
}

/** The result of a search. */
export interface OnsetSearch {
  onsets: FoundOnset[];
  /** When each host reported, unix seconds, by its id. */
  times: Map<number, Float64Array>;
  /** Numbers that were tested, as they had enough values. */
  tested: number;
  /** Numbers that were not read, since there are too many. */
  untested: number;
}

/** The numbers of a host that are worth a test. */
function testable(db: Db, hostId: number): Statistic[] {
  const statistics = statisticsOfHistory(db, hostId, {});
  const key = ({ serviceid, descriptor }: Statistic, type: number) => `${serviceid} ${type} ${descriptor}`;
  const present = new Set(statistics.map((statistic) => key(statistic, statistic.type)));
  return statistics.filter((statistic) => {
    const { type } = statistic;
    if (CODES.has(type)) return true;
    const twin = TWINS.get(type);
    if (twin !== undefined && present.has(key(statistic, twin))) return false;
    return (STATISTIC_TYPES.get(type)?.charted ?? false) && !COUNTERS.has(type) && !ALWAYS_MOVING.has(type);
  });
}

/** The values with NaN in place of those that the agent did not know. */
function measured(values: Float64Array, type: number): Float64Array {
  return isUnknownBelowZero(type) ? values.map((value) => (value < 0 ? Number.NaN : value)) : values;
}

/** The hosts and numbers that fit into the bounds, in order, and how many numbers do not fit. */
function withinBounds(db: Db, hosts: readonly SearchedHost[], window: OnsetWindow) {
  const { from, to } = readSpan(window);
  let values = 0;
  let untested = 0;
  const plans = hosts.flatMap((host) => {
    const statistics = testable(db, host.id);
    const perNumber = (to - from) / Math.max(1, host.poll) + REFERENCE_DAYS.length * VALUES_OF_DAY;
    const room = Math.floor((MAX_VALUES - values) / perNumber);
    const chosen = statistics.slice(0, Math.max(0, Math.min(MAX_OF_HOST, room)));
    untested += statistics.length - chosen.length;
    values += chosen.length * perNumber;
    return chosen.length === 0 ? [] : [{ host, statistics: chosen }];
  });
  return { plans, untested };
}

/** The changes of a code that may lie before the failure. */
function codeMoves(times: Float64Array, values: Float64Array, { from, failedAt }: OnsetWindow): Move[] {
  return unusualChanges(codeChanges(times, values), from)
    .filter(({ earliest }) => earliest < failedAt)
    .map((change) => ({ ...change, of: "code", latest: change.date }));
}

/**
 * Tests the numbers of hosts. What does not fit into the bounds is left out, the last hosts first.
 * @param hosts the most important first
 */
export function findOnsets(db: Db, hosts: readonly SearchedHost[], window: OnsetWindow): OnsetSearch {
  const { plans, untested } = withinBounds(db, hosts, window);
  const threshold = thresholdOf(plans.reduce((sum, { statistics }) => sum + statistics.length, 0));
  const times = new Map<number, Float64Array>();
  let tested = 0;
  const onsets = plans.flatMap(({ host, statistics }) => {
    const ids = statistics.map(({ id }) => id);
    const read = onsetValues(db, host.id, ids, window);
    times.set(host.id, read.times);
    return statistics.flatMap(({ id, ...statistic }): FoundOnset[] => {
      const { type } = statistic;
      const { values, days } = read.of(id);
      const isPercent = STATISTIC_TYPES.get(type)?.unit === "percent";
      const series = { times: read.times, values: measured(values, type), days, poll: host.poll, isPercent };
      const isCode = CODES.has(type);
      // A code needs nothing to compare it with.
      if (isCode ? series.values.every(Number.isNaN) : !hasEnough(series, window)) return [];
      tested++;
      const moves = isCode
        ? codeMoves(series.times, series.values, window)
        : [onsetOf(series, window, threshold)];
      return moves.flatMap((move) => move ?? []).map((move) => ({ host, ...statistic, ...move }));
    });
  });
  return { onsets, times, tested, untested };
}
