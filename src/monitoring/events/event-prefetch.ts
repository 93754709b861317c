/**
 * Reads what the events of a flush need to know about their checks, for all of them at once. An event that is newer
 * than everything of its check is then stored without another read.
 */
import type { Db } from "../../platform/storage/open.ts";
import { type Check, checkKey, type StoredInterval } from "../uptime/downtime.repository.ts";
import type { CheckBefore } from "../uptime/downtime.service.ts";
import { checksOfEvents, expectEvents, type StoredCheck } from "./event-prefetch.repository.ts";
import type { NewEvent } from "./events.repository.ts";

type CheckOfEvent = Omit<Check, "limitId"> & { limitId?: number | undefined };

/** The key of an event's check. */
const keyOf = ({ hostId, nameId, eventType, limitId = 0 }: CheckOfEvent) =>
  checkKey({ hostId, nameId, eventType, limitId });

/** Distinguishes an event from others of its check. */
const identityOf = ({ state, date, collectedSec, collectedUsec }: NewEvent) =>
  `${state} ${date} ${collectedSec} ${collectedUsec}`;

/** The rows that were read for the events of a flush. Every change of a check drops its rows. */
export class EventPrefetch {
  /** By check. */
  readonly #events = new Map<string, { identity: string; before: CheckBefore }>();

  constructor(private readonly db: Db) {}

  /** Reads the stored rows about the checks of events. @param events of agents */
  load(events: readonly NewEvent[]): void {
    // Of two events of a check, the second depends on the first.
    const ofCheck = Map.groupBy(events, (event) => keyOf(event));
    const single = [...ofCheck.values()].flatMap((ofOne) => (ofOne.length === 1 ? ofOne : []));
    const newest = checksOfEvents(this.db, single).filter(({ isLate }) => !isLate);
    expectEvents(this.db, newest.length);
    for (const row of newest) {
      const event = single[row.nth - 1];
      if (!event) throw new Error("the database answered about another event");
      this.#events.set(keyOf(event), { identity: identityOf(event), before: checkBefore(row) });
    }
  }

  /** The stored rows about the check of an event that changes it now; null if they must be read. */
  take(event: NewEvent): CheckBefore | null {
    const read = this.#events.get(keyOf(event));
    this.forget(event);
    return read?.identity === identityOf(event) ? read.before : null;
  }

  forget(check: CheckOfEvent): void {
    this.#events.delete(keyOf(check));
  }

  clear(): void {
    this.#events.clear();
  }
}

function checkBefore(row: StoredCheck): CheckBefore {
  const { startedAt, endedAt, clearCollectedSec, activeId, activeDate } = row;
  const { dismissed, dismissedFrom, acknowledged, acknowledgedFrom } = row;
  const care = { dismissed, dismissedFrom, acknowledged, acknowledgedFrom };
  const isOpen = startedAt !== null && endedAt === null;
  const open: StoredInterval | null = isOpen ? { startedAt, endedAt, clearCollectedSec } : null;
  return { open, active: activeId === null ? null : { id: activeId, date: activeDate, ...care } };
}
