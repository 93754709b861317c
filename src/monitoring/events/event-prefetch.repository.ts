/** Reads the stored rows about the checks of many events, and stores events for which they are known. */
import type { Db } from "../../platform/storage/open.ts";
import { insertNewRows, queryRows, type RowsQuery } from "../../platform/storage/rows.ts";
import { events } from "../../platform/storage/schema.ts";
import type { ActiveError } from "../uptime/downtime.repository.ts";
import { dismissalColumns } from "../uptime/downtime.service.ts";
import { changeEventCounts, kindOf } from "./event-counts.repository.ts";
import { wordSetIdOf } from "./event-words.repository.ts";
import { insertEventOnce, type NewEvent } from "./events.repository.ts";

/** The stored rows about the check of an event. */
export interface StoredCheck {
  /** The number of the event in the list, from 1. */
  nth: number;
  /** Whether the event is already stored, or is not the newest point of its check: 0 or 1. */
  isLate: number;
  /** The newest interval of the check. */
  startedAt: number | null;
  endedAt: number | null;
  clearCollectedSec: number;
  /** The active error of the check, if that interval lasts. */
  activeId: number | null;
  activeDate: number;
  dismissed: number;
  dismissedFrom: number | null;
  acknowledged: number;
  acknowledgedFrom: number | null;
}

const EVENT = {
  hostId: "integer",
  nameId: "integer",
  eventType: "integer",
  state: "integer",
  date: "integer",
  collectedSec: "integer",
  collectedUsec: "integer",
} as const;

const ofCheck = (table: string) =>
  `${table}.host_id = rows.host_id and ${table}.name_id = rows.name_id and ${table}.event_type = rows.event_type
     and ${table}.limit_id = 0`;

/**
 * SQL: whether the stored event `later`, dated in the same second as the event or later, comes after it or has exactly
 * its place.
 */
const IS_AFTER = `(later.date > rows.date or later.collected_sec > rows.collected_sec
  or later.collected_sec = rows.collected_sec and later.collected_usec >= rows.collected_usec)`;

/** The stored rows about the checks of events of agents, in any order. */
export const checksOfEvents: RowsQuery<typeof EVENT, StoredCheck> = queryRows(
  EVENT,
  ({ rows }) => `select rows.nth, newest.started_at as "startedAt", newest.ended_at as "endedAt",
      newest.clear_collected_sec as "clearCollectedSec", events.id as "activeId", events.date as "activeDate",
      events.dismissed, events.dismissed_from as "dismissedFrom", care.id is not null as acknowledged,
      care.failed_from as "acknowledgedFrom",
      exists (select 1 from events as same where ${ofCheck("same")} and same.state = rows.state
          and same.collected_sec = rows.collected_sec and same.collected_usec = rows.collected_usec)
        or rows.state < 2 and (
          exists (select 1 from events as later where ${ofCheck("later")} and later.date >= rows.date
            and later.state in (0, 1) and ${IS_AFTER})
          or exists (select 1 from silent_recoveries as later where ${ofCheck("later")} and later.date >= rows.date)
          or coalesce(newest.ended_at, newest.started_at) > rows.date
        ) as "isLate"
    from ${rows}
      left join downtime_intervals as newest on newest.id = (select i.id from downtime_intervals as i
        where ${ofCheck("i")} and rows.state < 2 order by i.started_at desc limit 1)
      left join events on events.id = (select e.id from events as e
        where ${ofCheck("e")} and newest.ended_at is null and e.date >= newest.started_at and e.active = true
        order by e.date desc limit 1)
      left join acknowledgements as care on care.event_id = events.id and care.ended_at is null`,
);

const newEvents = insertNewRows(
  events,
  [
    "hostId",
    "nameId",
    "serviceType",
    "date",
    "collectedSec",
    "collectedUsec",
    "eventType",
    "state",
    "action",
    "message",
    "wordSetId",
    "active",
    "dismissed",
    "dismissedFrom",
    "noted",
    "limitId",
    "severity",
  ],
  "hostId",
);

/** Tells how many events `storeNewEvent` will store in this transaction. */
export const expectEvents = newEvents.expect;

/** Stores and counts an event that may be stored already. @returns its id; null if it is */
export function storeEventOnce(db: Db, event: NewEvent): number | null {
  return newEvents.insertOtherwise(db, (id) => insertEventOnce(db, event, id));
}

/** Stores and counts an event of an agent that is known to be new. @returns its id */
export function storeNewEvent(
  db: Db,
  event: NewEvent,
  active: boolean,
  dismissal: ActiveError | null,
): number {
  const wordSetId = wordSetIdOf(db, event.message);
  const care = dismissalColumns(dismissal);
  const id = newEvents.insert(db, {
    ...event,
    ...care,
    wordSetId,
    active,
    noted: false,
    limitId: 0,
    severity: 0,
  });
  changeEventCounts(db, event.hostId, [kindOf(event)], 1);
  return id;
}
