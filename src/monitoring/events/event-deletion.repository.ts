import { and, eq, lt, not, type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { events } from "../../platform/storage/schema.ts";
import { changeEventCounts, kindsOf } from "./event-counts.repository.ts";
import { deleteUnusedWordSets } from "./event-words.repository.ts";

/**
 * Deletes up to `limit` events older than `before` and subtracts them from the counts and from the
 * search index. Events of open failures are kept.
 * @param only.except condition of events that are kept too
 */
export function deleteEvents(
  db: Db,
  before: number,
  limit: number,
  { except }: { except?: SQL } = {},
): number {
  const outdated = db
    .select({ id: events.id })
    .from(events)
    .where(and(lt(events.date, before), eq(events.active, false), except && not(except)))
    .orderBy(events.date)
    .limit(limit);
  return deleteEventsIn(db, sql`${outdated}`);
}

/** Deletes events and subtracts them from the counts and from the search index. @param ids a list of ids, or their query */
export function deleteEventsIn(db: Db, ids: SQL): number {
  const deleted = db
    .delete(events)
    .where(sql`${events.id} in ${ids}`)
    .returning({
      hostId: events.hostId,
      nameId: events.nameId,
      serviceType: events.serviceType,
      date: events.date,
      eventType: events.eventType,
      state: events.state,
      wordSetId: events.wordSetId,
    })
    .all();
  for (const [hostId, ofOneHost] of Map.groupBy(deleted, (event) => event.hostId))
    changeEventCounts(db, hostId, kindsOf(ofOneHost), -1);
  deleteUnusedWordSets(
    db,
    deleted.map((event) => event.wordSetId),
  );
  return deleted.length;
}
