import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { failuresSince, reportedSince } from "./leases.repository.ts";
import { leasedMutes, type Mute, setEndOfMute } from "./maintenance.repository.ts";
import { wakeSuppressed } from "./suppressed-alerts.repository.ts";

/**
 * Whether the hosts of a mute have recovered: each reported after the lease ended, and no failure that began under
 * the mute is open. An earlier failure does not prolong the mute.
 */
function isOver(db: Db, { filter, schedule }: Mute, releasedAt: number): boolean {
  return (
    reportedSince(db, filter, releasedAt) &&
    !failuresSince(db, schedule.from).some((failure) => matchesPlace(filter, failure))
  );
}

/** Ends the mutes whose lease ended, once their hosts have recovered or at the end of the grace period. */
export function endLeases(db: Db, now: number): void {
  const ended = leasedMutes(db).filter(({ leasedUntil }) => leasedUntil !== null && leasedUntil <= now);
  if (ended.length === 0) return;
  transaction(db, () => {
    for (const mute of ended) {
      const { schedule, leasedUntil } = mute;
      if (schedule.to <= now) setEndOfMute(db, mute, schedule.to, now);
      else if (isOver(db, mute, leasedUntil ?? now)) {
        setEndOfMute(db, mute, now, now);
        wakeSuppressed(db);
      }
    }
  });
}
