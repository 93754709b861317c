import type { Db } from "../../platform/storage/open.ts";
import { withPredicted } from "./host-limits.ts";
import { isAboutHost, isAboutStatistic, type Limit } from "./limit.ts";
import { hostsForLimits, statisticsForLimits } from "./limits.repository.ts";

/** Milliseconds after which no further hosts are read. All limits then count as matched. */
const BUDGET_MS = 3000;

/**
 * The limits that select no value of any present host.
 * @param limits those to check
 * @param monotonic milliseconds of a clock that never jumps
 * @returns none if there is no host yet, or if the check would take too long
 */
export function unmatchedLimits(db: Db, limits: readonly Limit[], monotonic: () => number): Limit[] {
  const until = monotonic() + BUDGET_MS;
  let unmatched = [...limits];
  const hosts = hostsForLimits(db);
  if (hosts.length === 0) return [];
  for (const host of hosts) {
    if (unmatched.length === 0 || monotonic() > until) return [];
    const ofHost = new Set(unmatched.filter((limit) => isAboutHost(limit, host)));
    if (ofHost.size === 0) continue;
    const statistics = withPredicted(statisticsForLimits(db, host.hostId));
    const isMatched = (limit: Limit) => statistics.some((statistic) => isAboutStatistic(limit, statistic));
    unmatched = unmatched.filter((limit) => !ofHost.has(limit) || !isMatched(limit));
  }
  return unmatched;
}
