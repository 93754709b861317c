import { and, between, eq, gte, lt, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { events } from "../../platform/storage/schema.ts";
import { anyCheck, ofCheck } from "../uptime/downtime.repository.ts";
import type { NewEvent } from "./events.repository.ts";

/**
 * Added to the other server's id of an event, which then stands in for its microsecond. No agent sends a microsecond as
 * large as this, so an event is stored once however often it is imported.
 */
export const IMPORTED_USEC = 1_000_000;

/**
 * If an agent's clock is wrong, each server dates its events by its own clock. Events of a check with the same state
 * that are at most this many seconds apart are one event.
 */
export const SAME_EVENT_SECONDS = 5;

type Identity = Pick<NewEvent, "hostId" | "nameId" | "eventType" | "state" | "date">;

const ofCheckAround = and(
  ofCheck(events, { ...anyCheck, limitId: 0 }),
  eq(events.state, sql.placeholder("state")),
  between(events.date, sql.placeholder("from"), sql.placeholder("to")),
);

const importedStatement = prepareOnce((db) =>
  db
    .select({ id: events.id })
    .from(events)
    .where(and(ofCheckAround, gte(events.collectedUsec, IMPORTED_USEC)))
    .limit(1)
    .prepare(),
);

const presentStatement = prepareOnce((db) =>
  db
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        ofCheckAround,
        sql`(${lt(events.collectedUsec, IMPORTED_USEC)} or ${eq(events.collectedUsec, sql.placeholder("usec"))})`,
      ),
    )
    .limit(1)
    .prepare(),
);

const around = ({ hostId, nameId, eventType, state, date }: Identity) => ({
  hostId,
  nameId,
  eventType,
  state,
  from: date - SAME_EVENT_SECONDS,
  to: date + SAME_EVENT_SECONDS,
});

/** Whether an event that an agent sends was imported from another server before. */
export function isImported(db: Db, event: Identity): boolean {
  return importedStatement(db).get(around(event)) !== undefined;
}

/** Whether an event of another server is stored: because it was imported, or because the agent sent it here too. */
export function isPresent(db: Db, event: Identity & Pick<NewEvent, "collectedUsec">): boolean {
  return presentStatement(db).get({ ...around(event), usec: event.collectedUsec }) !== undefined;
}

const importedAtStatement = prepareOnce((db) =>
  db
    .select({ usec: events.collectedUsec })
    .from(events)
    .where(and(ofCheckAround, gte(events.collectedUsec, IMPORTED_USEC)))
    .prepare(),
);

/** The ids, on the servers they came from, of imported events of a check with the same state and date. */
export function importedIdsAt(db: Db, event: Identity): number[] {
  const moment = { ...around(event), from: event.date, to: event.date };
  return importedAtStatement(db)
    .all(moment)
    .map(({ usec }) => usec - IMPORTED_USEC);
}
