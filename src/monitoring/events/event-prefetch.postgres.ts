/**
 * Reads what the events of a flush ask the database about their checks, for all of them at once, and stores such events
 * in one statement. Event by event, each takes ten round trips to PostgreSQL, and four times the CPU.
 */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { type RowStatement, rowWriter } from "../../platform/storage/row-writer.ts";
import {
  ACKNOWLEDGED,
  ACKNOWLEDGED_FROM,
  type ActiveError,
  type Check,
  type KnownInterval,
} from "../uptime/downtime.repository.ts";
import type { CheckBefore } from "../uptime/downtime.service.ts";
import { changeEventCounts, kindOf } from "./event-counts.repository.ts";
import { wordSetIdOf } from "./event-words.repository.ts";
import type { NewEvent } from "./events.repository.ts";

/** What the database holds about an event that is new, and the newest of its check. */
export interface PrefetchedEvent extends CheckBefore {
  /** The id that the event is to get. */
  id: number;
}

interface Row {
  nth: number;
  /** The event is stored already, or something of its check is as late: 0 or 1. */
  isPlain: number;
  startedAt: number | null;
  endedAt: number | null;
  clearCollectedSec: number;
  activeId: number | null;
  activeDate: number;
  dismissed: number;
  dismissedFrom: number | null;
  acknowledged: number;
  acknowledgedFrom: number | null;
}

const OF_CHECK =
  "host_id = given.host_id and name_id = given.name_id and event_type = given.event_type and limit_id = 0";

const statements = prepareOnce((db) => ({
  read: db.$client.prepare<Row, [lists: number[][]]>(
    `select nth, started_at as "startedAt", ended_at as "endedAt", clear_collected_sec as "clearCollectedSec",
       active_id as "activeId", active_date as "activeDate", dismissed, dismissed_from as "dismissedFrom", acknowledged,
       acknowledged_from as "acknowledgedFrom",
       exists (select 1 from events where ${OF_CHECK} and state = given.state
           and collected_sec = given.collected_sec and collected_usec = given.collected_usec)
         or given.state < 2 and (
           exists (select 1 from events where ${OF_CHECK} and date >= given.date and state in (0, 1))
           or exists (select 1 from silent_recoveries where ${OF_CHECK} and date >= given.date)
           or coalesce(newest.ended_at, newest.started_at) >= given.date
         ) as "isPlain"
     from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[])
         with ordinality
         as given(host_id, name_id, event_type, state, date, collected_sec, collected_usec, nth)
       left join lateral (select started_at, ended_at, clear_collected_sec from downtime_intervals
           where ${OF_CHECK} and given.state < 2 order by started_at desc limit 1) as newest on true
       left join lateral (select id as active_id, date as active_date, dismissed, dismissed_from,
             ${ACKNOWLEDGED} as acknowledged, ${ACKNOWLEDGED_FROM} as acknowledged_from
           from events where ${OF_CHECK} and newest.ended_at is null and date >= newest.started_at and active = 1
           order by date desc limit 1) as marked on true`,
  ),
  ids: db.$client.prepare<{ id: number }, [number]>(
    "select nextval(pg_get_serial_sequence('events', 'id')) as id from generate_series(1, ?)",
  ),
}));

type CheckOfEvent = Omit<Check, "limitId"> & { limitId?: number | undefined };

const keyOf = ({ hostId, nameId, eventType, limitId = 0 }: CheckOfEvent) =>
  `${hostId} ${nameId} ${eventType} ${limitId}`;

/** What tells an event of a check from others. */
const identityOf = ({ state, date, collectedSec, collectedUsec }: NewEvent) =>
  `${state} ${date} ${collectedSec} ${collectedUsec}`;

/** What was read about the events of a flush. Whatever changes a check makes it forget the check. */
export class EventPrefetch {
  /** By check. */
  readonly #events = new Map<string, { identity: string; event: PrefetchedEvent }>();

  constructor(private readonly db: Db) {}

  /** @param events of agents */
  load(events: readonly NewEvent[]): void {
    // Of two events of a check, the second asks about the first.
    const ofCheck = Map.groupBy(events, (event) => keyOf(event));
    const single = [...ofCheck.values()].flatMap((own) => (own.length === 1 ? own : []));
    if (single.length === 0) return;
    const lists = [
      "hostId",
      "nameId",
      "eventType",
      "state",
      "date",
      "collectedSec",
      "collectedUsec",
    ] as const;
    const { read, ids } = statements(this.db);
    const rows = read.all(lists.map((column) => single.map((event) => event[column])));
    const known = rows.filter(({ isPlain }) => !isPlain).sort((a, b) => a.nth - b.nth);
    const given = ids.all(known.length).map(({ id }) => id);
    given.sort((a, b) => a - b);
    for (const [i, row] of known.entries()) {
      const event = single[row.nth - 1];
      const id = given[i];
      if (!event || id === undefined) throw new Error("PostgreSQL answered about another event");
      this.#events.set(keyOf(event), { identity: identityOf(event), event: prefetched(row, id) });
    }
  }

  /** What is known about an event of a check that changes now; null if it has to be read. */
  take(event: NewEvent): PrefetchedEvent | null {
    const known = this.#events.get(keyOf(event));
    this.forget(event);
    return known?.identity === identityOf(event) ? known.event : null;
  }

  forget(check: CheckOfEvent): void {
    this.#events.delete(keyOf(check));
  }

  clear(): void {
    this.#events.clear();
  }
}

function prefetched(row: Row, id: number): PrefetchedEvent {
  const { startedAt, endedAt, clearCollectedSec, activeId, activeDate } = row;
  const { dismissed, dismissedFrom, acknowledged, acknowledgedFrom } = row;
  const care = { dismissed, dismissedFrom, acknowledged, acknowledgedFrom };
  const isOpen = startedAt !== null && endedAt === null;
  const open: KnownInterval | null = isOpen ? { startedAt, endedAt, clearCollectedSec } : null;
  const active = activeId === null ? null : { id: activeId, date: activeDate, ...care };
  return { id, open, active };
}

/** The rows of events that are known to be new. */
export const PREFETCHED_EVENTS: RowStatement = {
  postgres: `insert into events (id, host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state,
      action, message, word_set_id, active, dismissed, dismissed_from, noted, limit_id, severity)
    select *, false, 0, 0 from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[],
      ?7::bigint[], ?8::bigint[], ?9::bigint[], ?10::bigint[], ?11::text[], ?12::bigint[], ?13::boolean[],
      ?14::boolean[], ?15::bigint[])`,
};

const insertEvent =
  rowWriter<
    [
      ...[id: number, hostId: number, nameId: number, serviceType: number, date: number, sec: number],
      ...[usec: number, eventType: number, state: number, action: number, message: string],
      ...[wordSetId: number | null, active: boolean, dismissed: boolean, dismissedFrom: number | null],
    ]
  >(PREFETCHED_EVENTS);

/** Stores and counts an event that is known to be new. @param event with the id that it is to get */
export function storePrefetchedEvent(
  db: Db,
  event: NewEvent & { id: number },
  active: boolean,
  dismissal: Pick<ActiveError, "dismissedFrom"> | null,
): void {
  const { id, hostId, nameId, serviceType, date, collectedSec, collectedUsec } = event;
  const { eventType, state, action, message } = event;
  const wordSetId = wordSetIdOf(db, message);
  const what = [eventType, state, action, message, wordSetId, active] as const;
  const care = [dismissal !== null, dismissal?.dismissedFrom ?? null] as const;
  insertEvent(db, id, hostId, nameId, serviceType, date, collectedSec, collectedUsec, ...what, ...care);
  changeEventCounts(db, hostId, [kindOf(event)], 1);
}
