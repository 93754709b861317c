import type { Db } from "../../platform/storage/open.ts";
import { type Acknowledgement, acknowledgementsOf } from "./acknowledgements.repository.ts";
import { activeErrorSince, openIntervalsOfHost } from "./downtime.repository.ts";

/**
 * The services of a host of which somebody takes care, keyed by the id of their name: every active error is
 * acknowledged. Of several acknowledgements, the one that ends first.
 * @param now unix seconds
 */
export function acknowledgedServices(db: Db, hostId: number, now: number): Map<number, Acknowledgement> {
  const errors = openIntervalsOfHost(db, hostId).flatMap((interval) => {
    const error = activeErrorSince(db, interval, interval.startedAt);
    return error ? [{ nameId: interval.nameId, eventId: error.id }] : [];
  });
  const known = acknowledgementsOf(
    db,
    errors.map(({ eventId }) => eventId),
    now,
  );
  const first = new Map<number, Acknowledgement>();
  for (const [nameId, ofService] of Map.groupBy(errors, (error) => error.nameId)) {
    const all = ofService.flatMap(({ eventId }) => known.get(eventId) ?? []);
    const [next] = all.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
    if (next && all.length === ofService.length) first.set(nameId, next);
  }
  return first;
}
