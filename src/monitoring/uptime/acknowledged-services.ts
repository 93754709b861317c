import type { Db } from "../../platform/storage/open.ts";
import { type Acknowledgement, acknowledgementsOf } from "./acknowledgements.repository.ts";
import { activeErrorSince, openIntervalsOfHost } from "./downtime.repository.ts";

/** The active errors of a host, and their acknowledgements in effect. */
function activeErrors(db: Db, hostId: number, now: number) {
  const errors = openIntervalsOfHost(db, hostId).flatMap((interval) => {
    const error = activeErrorSince(db, interval, interval.startedAt);
    return error ? [{ nameId: interval.nameId, eventId: error.id }] : [];
  });
  const ids = errors.map(({ eventId }) => eventId);
  return { errors, known: acknowledgementsOf(db, ids, now) };
}

/** Whether somebody takes care of every active error of a host that has one. @param now unix seconds */
export function isAcknowledged(db: Db, hostId: number, now: number): boolean {
  const { errors, known } = activeErrors(db, hostId, now);
  return errors.length > 0 && errors.every(({ eventId }) => known.has(eventId));
}

/**
 * The services of a host of which somebody takes care, keyed by the id of their name: every active error is
 * acknowledged. Of several acknowledgements, the one that ends first.
 * @param now unix seconds
 */
export function acknowledgedServices(db: Db, hostId: number, now: number): Map<number, Acknowledgement> {
  const { errors, known } = activeErrors(db, hostId, now);
  const first = new Map<number, Acknowledgement>();
  for (const [nameId, ofService] of Map.groupBy(errors, (error) => error.nameId)) {
    const all = ofService.flatMap(({ eventId }) => known.get(eventId) ?? []);
    const [next] = all.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
    if (next && all.length === ofService.length) first.set(nameId, next);
  }
  return first;
}
