import type { Db } from "../../platform/storage/open.ts";
import { type Acknowledgement, acknowledgementsOf } from "./acknowledgements.repository.ts";
import { activeErrorSince, openIntervalsOfHost } from "./downtime.repository.ts";

/** The active errors of a host, and their active acknowledgements. */
function activeErrors(db: Db, hostId: number, now: number) {
  const errors = openIntervalsOfHost(db, hostId).flatMap((interval) => {
    const error = activeErrorSince(db, interval, interval.startedAt);
    return error ? [{ nameId: interval.nameId, eventId: error.id }] : [];
  });
  const ids = errors.map(({ eventId }) => eventId);
  return { errors, acknowledgements: acknowledgementsOf(db, ids, now) };
}

/** Whether a host has active errors, and all of them are acknowledged. @param now unix seconds */
export function isAcknowledged(db: Db, hostId: number, now: number): boolean {
  const { errors, acknowledgements } = activeErrors(db, hostId, now);
  return errors.length > 0 && errors.every(({ eventId }) => acknowledgements.has(eventId));
}

/**
 * The services of a host whose active errors are all acknowledged, keyed by the id of their name, each with the
 * acknowledgement that ends first.
 * @param now unix seconds
 */
export function acknowledgedServices(db: Db, hostId: number, now: number): Map<number, Acknowledgement> {
  const { errors, acknowledgements } = activeErrors(db, hostId, now);
  const firstByService = new Map<number, Acknowledgement>();
  for (const [nameId, ofService] of Map.groupBy(errors, (error) => error.nameId)) {
    const ofErrors = ofService.flatMap(({ eventId }) => acknowledgements.get(eventId) ?? []);
    const [next] = ofErrors.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
    if (next && ofErrors.length === ofService.length) firstByService.set(nameId, next);
  }
  return firstByService;
}
