import { and, eq, lt, not, type SQL, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { downtimeIntervals, events } from "../../platform/storage/schema.ts";
import { indexedBy } from "../../platform/storage/words.ts";
import { changeEventCounts, kindsOf } from "./event-counts.repository.ts";
import { deleteUnusedWordSets } from "./event-words.repository.ts";

/**
 * Whether an event is the last error, before a time, of a failure that was still open at that time: a moment from then
 * on shows it as the open error. As at moments, errors of the agent take precedence over Muster's own, which have
 * negative microseconds.
 */
function isErrorOfThen(before: number): SQL {
  const ofCheck = (table: string) => {
    const { hostId, nameId, eventType, limitId } = events;
    const of = sql.raw(table);
    return sql`${of}.host_id = ${hostId} and ${of}.name_id = ${nameId} and ${of}.event_type = ${eventType}
      and ${of}.limit_id = ${limitId}`;
  };
  const ofFailure = (what: SQL) => sql`(select ${what}
    from ${downtimeIntervals} as failure ${indexedBy("downtime_of_check_by_start")}
    where ${ofCheck("failure")} and failure.started_at <= ${events.date} order by failure.started_at desc limit 1)`;
  const lasted = ofFailure(sql`failure.ended_at is null or failure.ended_at > ${before}`);
  const another = (condition: SQL) => sql`exists (select 1
    from ${events} as other ${indexedBy("events_of_check_by_date")}
    where ${ofCheck("other")} and other.state = ${ERROR} and other.date < ${before} and ${condition})`;
  const { date, collectedSec, collectedUsec, id } = events;
  const later = another(sql`other.date >= ${date} and (other.collected_usec >= 0 or ${collectedUsec} < 0)
    and (other.date, other.collected_sec, other.collected_usec, other.id)
      > (${date}, ${collectedSec}, ${collectedUsec}, ${id})`);
  const ofAgent = another(
    sql`other.collected_usec >= 0 and other.date >= ${ofFailure(sql`failure.started_at`)}`,
  );
  return sql`(${events.state} = ${ERROR} and coalesce(${lasted}, false)
    and not ${later} and (${collectedUsec} >= 0 or not ${ofAgent}))`;
}

/**
 * Deletes up to `limit` events older than `before` and subtracts them from the counts and from the search index. Keeps
 * the events of open failures, and the last one of each failure that was still open at `before`.
 * @param except condition of events that are kept too
 * @returns how many were deleted
 */
export function deleteEvents(db: Db, before: number, limit: number, except?: SQL): number {
  const outdated = db
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        lt(events.date, before),
        eq(events.active, false),
        not(isErrorOfThen(before)),
        except && not(except),
      ),
    )
    .orderBy(events.date)
    .limit(limit);
  return deleteEventsIn(db, sql`${outdated}`);
}

/**
 * Deletes events and subtracts them from the counts and from the search index.
 * @param ids a list of ids, or their query
 * @returns how many were deleted
 */
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
