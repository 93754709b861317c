/** The facts by which a due alert is decided, from its stored row. */
import { ERROR } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { DueAlert } from "./alerts.repository.ts";
import { type AlertFacts, acknowledgedBy, DISMISSED, type Suppression } from "./decide.ts";

/** A dismissal has no end; an acknowledgement may have one. */
function handledOf(due: DueAlert, now: number): Suppression | null {
  const { dismissed, acknowledgedBy: uname, acknowledgedUntil: until } = due;
  if (dismissed === 1) return { until: Infinity, reason: DISMISSED };
  if (uname === null || (until && until <= now)) return null;
  return { until: until || Infinity, reason: acknowledgedBy(uname) };
}

/** When the failure ended, unix seconds; null while it lasts, or if the event is not an error. */
export function endOf({ state, failureEnd, createdAt, endedAt }: DueAlert): number | null {
  // A failure without an interval ended within the second in which it began.
  const newestEnd = state !== ERROR || failureEnd === 0 ? null : (failureEnd ?? createdAt);
  return endedAt ?? newestEnd;
}

/**
 * The facts about a due alert. Its cause is null: whether another failure caused it has to be read.
 * @param reminded when the last reminder about each event was sent, unix seconds @param now unix seconds
 */
export function factsOf(due: DueAlert, reminded: ReadonlyMap<number, number>, now: number): AlertFacts {
  const endedAt = endOf(due);
  return {
    ...due,
    // After the server's clock was set back, an end can be dated in the future. Nobody must wait for that time.
    endedAt: endedAt !== null && endedAt > now ? due.createdAt : endedAt,
    ignored: due.hostStatus === HOST_STATUS.ignored,
    handled: handledOf(due, now),
    caused: null,
    remindedAt: reminded.get(due.eventId) ?? due.notifiedAt,
    starts: due.endedAt === null ? (JSON.parse(due.starts) as number[]) : [],
  };
}
