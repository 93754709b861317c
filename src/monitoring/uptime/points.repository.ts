/**
 * Reads the points of a check: its success and error events, and its recoveries without an event. Each statement but
 * those of `allPoints` reads at most the points of one second, however many a check or a failure has.
 */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { silentRecoveries } from "../../platform/storage/schema.ts";
import { HIDDEN } from "../../platform/storage/words.ts";
import { type Check, type DatedCheck, type KeyOfCheck, keyOfCheck, OF_CHECK } from "./downtime.repository.ts";

/** An event, and its place among the points of its check. A recovery precedes the events of its second. */
export interface PlacedEvent {
  id: number;
  date: number;
  collectedSec: number;
  collectedUsec: number;
}

/**
 * Microseconds of the event that Muster adds for a failure reported only by the agent's status; less if the value is
 * taken. Microseconds of agents' events are never negative, so the two cannot be confused.
 */
export const STATUS_ONLY_USEC = -1;

/** Whether Muster added the event for a failure that only the agent's status reported. */
export function isStatusOnly({ collectedUsec }: Pick<PlacedEvent, "collectedUsec">): boolean {
  return collectedUsec < 0;
}

/** Whether an event comes after another one of its check. */
export function isBehind(event: PlacedEvent, other: PlacedEvent): boolean {
  const difference =
    event.date - other.date ||
    event.collectedSec - other.collectedSec ||
    event.collectedUsec - other.collectedUsec ||
    event.id - other.id;
  return difference > 0;
}

type Range = [...DatedCheck, until: number];
type DatedPlace = [...DatedCheck, collectedSec: number, collectedUsec: number, id: number];

const EVENT = 'id, date, collected_sec as "collectedSec", collected_usec as "collectedUsec"';
const FIRST = "order by collected_sec, collected_usec, id limit 1";
const LAST = "order by collected_sec desc, collected_usec desc, id desc limit 1";
const AT = `${OF_CHECK} and date = ${HIDDEN}?5`;

/** SQL: the newest error of a check at or after a date. @param which a further condition */
const newestError = (which = "") => `select ${EVENT} from events
  where ${OF_CHECK} and state = 1${which} and date = (select date from events
    where ${OF_CHECK} and date >= ${HIDDEN}?5 and state = 1${which} order by date desc limit 1)
  ${LAST}`;

/** Raw SQL, as in `downtime.repository.ts`. */
const statements = prepareOnce(({ $client }) => ({
  placeOf: $client.prepare<PlacedEvent, [id: number]>(`select ${EVENT} from events where id = ?`),
  recoveryAt: $client.prepare<null, DatedCheck>(`select 1 from silent_recoveries where ${AT} limit 1`),
  lastSuccessAt: $client.prepare<PlacedEvent, DatedCheck>(
    `select ${EVENT} from events where ${AT} and state = 0 ${LAST}`,
  ),
  firstErrorAt: $client.prepare<PlacedEvent, DatedCheck>(
    `select ${EVENT} from events where ${AT} and state = 1 ${FIRST}`,
  ),
  firstErrorBehind: $client.prepare<PlacedEvent, DatedPlace>(
    `select ${EVENT} from events where ${AT} and state = 1
       and (collected_sec, collected_usec, id) > (${HIDDEN}?6, ${HIDDEN}?7, ${HIDDEN}?8) ${FIRST}`,
  ),
  firstErrorBetween: $client.prepare<{ date: number }, Range>(
    `select date from events where ${OF_CHECK} and date > ${HIDDEN}?5 and date < ${HIDDEN}?6 and state = 1
     order by date limit 1`,
  ),
  firstEnds: $client.prepare<{ success: number | null; recovery: number | null }, Range>(
    `select (select date from events
        where ${OF_CHECK} and date > ${HIDDEN}?5 and date <= ${HIDDEN}?6 and state = 0
        order by date limit 1) as success,
      (select date from silent_recoveries
        where ${OF_CHECK} and date > ${HIDDEN}?5 and date <= ${HIDDEN}?6 order by date limit 1) as recovery`,
  ),
  newestError: $client.prepare<PlacedEvent, DatedCheck>(newestError()),
  newestErrorOfAgent: $client.prepare<PlacedEvent, DatedCheck>(newestError(" and collected_usec >= 0")),
  newestTurnAfter: $client.prepare<PlacedEvent, DatedCheck>(
    `select ${EVENT} from events where ${OF_CHECK} and date > ${HIDDEN}?5 and state in (0, 1)
     order by date desc, collected_sec desc, collected_usec desc, id desc limit 1`,
  ),
  newestRecoveryAfter: $client.prepare<{ date: number }, DatedCheck>(
    `select date from silent_recoveries where ${OF_CHECK} and date > ${HIDDEN}?5 order by date desc limit 1`,
  ),
}));

const statementsOfAll = prepareOnce(({ $client }) => ({
  recoveries: $client.prepare<{ date: number }, KeyOfCheck>(
    `select date from silent_recoveries where ${OF_CHECK} order by date`,
  ),
  events: $client.prepare<PlacedEvent & { state: number }, KeyOfCheck>(
    `select ${EVENT}, state from events
     where ${OF_CHECK} and state in (0, 1) order by date, collected_sec, collected_usec, id`,
  ),
}));

/** An event by its id; null if it was deleted. */
export function placeOf(db: Db, id: number): PlacedEvent | null {
  return statements(db).placeOf.get(id);
}

/** What the points of a check in a second change. */
export interface Turn {
  /** Whether a failure that lasted until then ended. */
  hasEnd: boolean;
  /** The first error behind the last success. If there is one, the check is failing after this second. */
  error: PlacedEvent | null;
}

/** What the points of a check in the second `date` change. */
export function turnAt(db: Db, check: Check, date: number): Turn {
  const { recoveryAt, lastSuccessAt, firstErrorAt, firstErrorBehind } = statements(db);
  const key = [...keyOfCheck(check), date] as const;
  const success = lastSuccessAt.get(...key);
  if (!success) return { hasEnd: recoveryAt.get(...key) !== null, error: firstErrorAt.get(...key) };
  const { collectedSec, collectedUsec, id } = success;
  return { hasEnd: true, error: firstErrorBehind.get(...key, collectedSec, collectedUsec, id) };
}

/** The date of the first error after `from` and before `until`; null if there is none. */
export function firstErrorBetween(db: Db, check: Check, from: number, until: number): number | null {
  return statements(db).firstErrorBetween.get(...keyOfCheck(check), from, until)?.date ?? null;
}

/** The date of the first success or recovery after `from`, at the latest at `until`; null if there is none. */
export function firstEnd(db: Db, check: Check, from: number, until: number): number | null {
  const ends = statements(db).firstEnds.get(...keyOfCheck(check), from, until);
  const dates = [ends?.success, ends?.recovery].filter((date) => date != null);
  return dates.length === 0 ? null : Math.min(...dates);
}

/** The newest error of a check, if it is dated `from` or later. */
export function newestErrorSince(db: Db, check: Check, from: number): PlacedEvent | null {
  return statements(db).newestError.get(...keyOfCheck(check), from);
}

/** As `newestErrorSince`, among the errors that the agent sent. */
export function newestErrorOfAgentSince(db: Db, check: Check, from: number): PlacedEvent | null {
  return statements(db).newestErrorOfAgent.get(...keyOfCheck(check), from);
}

/**
 * The date under which a success or error comes after the stored points of its check, even if the server's clock was
 * set back: the second after the newest point if that lies in the future, otherwise the event's own date.
 * @param receivedAt now, unix seconds
 */
export function dateInOrder(db: Db, event: Check & Omit<PlacedEvent, "id">, receivedAt: number): number {
  const { newestTurnAfter, newestRecoveryAfter } = statements(db);
  const key = keyOfCheck(event);
  // A recovery that happens in this second is dated in the next one.
  const recovery = newestRecoveryAfter.get(...key, receivedAt + 1);
  const turn = newestTurnAfter.get(...key, receivedAt);
  if (recovery && recovery.date >= (turn?.date ?? 0)) return recovery.date + 1;
  if (!turn) return event.date;
  // The agent may have queued the event before the newest point. If its clock was set back too, that cannot be told.
  const { collectedSec, collectedUsec } = event;
  const isEarlier = isBehind(turn, { id: turn.id, date: turn.date, collectedSec, collectedUsec });
  return isEarlier && turn.collectedSec <= receivedAt ? event.date : turn.date + 1;
}

/**
 * All recoveries of a check without an event, and all its events, each oldest first. Changes do not affect failures.
 */
export function allPoints(db: Db, check: Check) {
  const { recoveries, events } = statementsOfAll(db);
  const key = keyOfCheck(check);
  return { recoveries: recoveries.all(...key), events: events.all(...key) };
}

/**
 * Stores that a check recovered without an event. The caller updates its intervals.
 * @param date unix seconds
 */
export function insertSilentRecovery(
  db: Db,
  { hostId, nameId, eventType, limitId }: Check,
  date: number,
): void {
  db.insert(silentRecoveries).values({ hostId, nameId, eventType, limitId, date }).run();
}
