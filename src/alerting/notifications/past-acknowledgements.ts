import { acknowledgedBy } from "./decide.ts";
import type { Acknowledgements, MatchedEvent } from "./simulation.ts";

/** An acknowledgement of the past. Times are unix seconds. */
interface PastAcknowledgement {
  uname: string;
  createdAt: number;
  until: number | null;
  endedAt: number | null;
}

/** Looks up acknowledgements by check: the active one ends at its time, by a user, or with the failure. */
export function acknowledgementsOf<A extends PastAcknowledgement, E extends MatchedEvent>(
  acknowledgements: readonly A[],
  checkOf: (acknowledgement: A) => string,
): Acknowledgements<E> {
  const ofCheck = Map.groupBy(acknowledgements, checkOf);
  return {
    of: ({ check }, at) => {
      for (const { uname, createdAt, until, endedAt } of ofCheck.get(check) ?? []) {
        const end = Math.min(until ?? Infinity, endedAt ?? Infinity);
        if (createdAt <= at && at < end) return { until: end, reason: acknowledgedBy(uname) };
      }
      return null;
    },
    beginsAfter: ({ check }, at) => {
      const begins = (ofCheck.get(check) ?? []).map(({ createdAt }) => createdAt);
      return begins.find((begin) => begin >= at) ?? null;
    },
  };
}
