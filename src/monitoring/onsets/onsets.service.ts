/** Finds what numbers of hosts left their rhythm before a failure. */
import { COUNTERS, STATISTIC, STATISTIC_TYPES } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { statisticsOfHistory } from "../history/history.repository.ts";
import { codeChanges, type Onset, onsetOf, thresholdOf } from "./change-test.ts";
import { onsetValues } from "./onset-values.ts";
import { type OnsetWindow, REFERENCE_DAYS, readSpan } from "./onset-window.ts";

/** Most numbers of one host that are tested. */
const MAX_OF_HOST = 500;
/** Most values that are read for one failure, which takes about a second. */
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
/** Whose every change counts, as their numbers have no size. */
const CODES: ReadonlySet<number> = new Set(
  [S.pid, S.mode, S.uid, S.gid, S.effectiveUid, S.linkState, S.programStatus].map(({ code }) => code),
);
/** A code that changes more often than this in the two hours does so as a habit. */
const MAX_CHANGES = 3;

type Statistic = ReturnType<typeof statisticsOfHistory>[number];

export interface SearchedHost {
  id: number;
  hostname: string;
  /** Seconds between two reports. */
  poll: number;
}

export interface FoundOnset extends Omit<Onset, "of">, Omit<Statistic, "id"> {
  host: SearchedHost;
  /** A code changed, or a number left its level or spread. */
  of: Onset["of"] | "code";
}

export interface OnsetSearch {
  onsets: FoundOnset[];
  /** When each host reported, unix seconds, by its id. */
  times: Map<number, Float64Array>;
  /** Numbers that were tested. */
  tested: number;
  /** Numbers that were not, since there are too many. */
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

/** Negative numbers say that the agent has no value, where they do not count as numbers. */
function measured(values: Float64Array, type: number): Float64Array {
  if (STATISTIC_TYPES.get(type)?.negative === "value") return values;
  return values.map((value) => (value < 0 ? Number.NaN : value));
}

/** Splits hosts and their numbers by what fits into the bounds, in their order. */
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

/**
 * Tests the numbers of hosts. What does not fit into the bounds is left out, the last hosts first.
 * @param hosts the most important first
 */
export function findOnsets(db: Db, hosts: readonly SearchedHost[], window: OnsetWindow): OnsetSearch {
  const { plans, untested } = withinBounds(db, hosts, window);
  const tested = plans.reduce((sum, { statistics }) => sum + statistics.length, 0);
  const threshold = thresholdOf(tested);
  const times = new Map<number, Float64Array>();
  const onsets = plans.flatMap(({ host, statistics }) => {
    const read = onsetValues(
      db,
      host.id,
      statistics.map(({ id }) => id),
      window,
    );
    times.set(host.id, read.times);
    return statistics.flatMap(({ id, ...statistic }): FoundOnset[] => {
      const { values, days } = read.of(id);
      const numbers = measured(values, statistic.type);
      if (CODES.has(statistic.type)) {
        const changes = codeChanges({ times: read.times, values: numbers });
        if (changes.length > MAX_CHANGES) return [];
        return changes
          .filter(({ date, earliest }) => date >= window.from && earliest < window.failedAt)
          .map((change) => ({ host, ...statistic, of: "code", latest: change.date, ...change }));
      }
      const isPercent = STATISTIC_TYPES.get(statistic.type)?.unit === "percent";
      const series = { times: read.times, values: numbers, days, poll: host.poll, isPercent };
      const onset = onsetOf(series, window, threshold);
      return onset ? [{ host, ...statistic, ...onset }] : [];
    });
  });
  return { onsets, times, tested, untested };
}
