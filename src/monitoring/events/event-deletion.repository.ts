import { and, eq, lt, not, type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { events } from "../../platform/storage/schema.ts";
import { changeEventCounts, kindsOf } from "./event-counts.repository.ts";
import { deleteUnusedWordSets } from "./event-words.repository.ts";

/**
 * Deletes up to `limit` events older than `before` and subtracts them from the counts and from the
 * search index. Events of open failures are kept.
 * @param only.ofHost restricts the deletion to this host
 * @param only.except condition of events that are kept too
 */
export function deleteEvents(
  db: Db,
  before: number,
  limit: number,
  { ofHost, except }: { ofHost?: number; except?: SQL } = {},
): number {
  const old = db
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        ofHost === undefined ? undefined : eq(events.hostId, ofHost),
        lt(events.date, before),
        eq(events.active, false),
        except && not(except),
      ),
    )
    .orderBy(events.date)
    .limit(limit);
  const deleted = db
    .delete(events)
    .where(sql`${events.id} in ${old}`)
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
