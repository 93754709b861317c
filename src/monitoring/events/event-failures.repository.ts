import { and, eq, isNull, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { downtimeIntervals, events, services } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

/** The service of an event, and the failure that it reports. */
export interface EventFailure {
  /** 0 if the host has no service of that name now. */
  serviceid: number;
  /** Start of the failure, unix seconds; 0 if the event is not an error. */
  since: number;
  /** End of the failure; 0 while it lasts. */
  ended: number;
}

const NOWHERE: EventFailure = { serviceid: 0, since: 0, ended: 0 };

/**
 * The failure of an error: the last interval of its check that started by then. An error that a restarted
 * agent repeats is later than the start of its failure.
 */
const intervalOfEvent = sql`(select d.id from ${downtimeIntervals} d
  where d.host_id = ${events.hostId} and d.name_id = ${events.nameId} and d.event_type = ${events.eventType}
    and d.limit_id = ${events.limitId}
    and d.started_at <= ${events.date} order by d.started_at desc, d.id desc limit 1)`;

/** The services and failures of events, by event id. */
export function failuresOf(db: Db, ids: readonly number[]): ReadonlyMap<number, EventFailure> {
  const rows = db
    .select({
      id: events.id,
      serviceid: sql<number>`coalesce(${services.id}, 0)`,
      since: sql<number>`coalesce(${downtimeIntervals.startedAt}, 0)`,
      ended: sql<number>`coalesce(${downtimeIntervals.endedAt}, 0)`,
    })
    .from(events)
    .leftJoin(
      services,
      and(
        eq(services.hostId, events.hostId),
        eq(services.nameId, events.nameId),
        isNull(services.vanishedAt),
      ),
    )
    .leftJoin(downtimeIntervals, and(eq(events.state, ERROR), eq(downtimeIntervals.id, intervalOfEvent)))
    .where(sql`${events.id} in ${listOf(ids)}`)
    .all();
  return new Map(rows.map(({ id, ...failure }) => [id, failure]));
}

/** The service and failure of one event. */
export function failureIn(failures: ReadonlyMap<number, EventFailure>, id: number): EventFailure {
  return failures.get(id) ?? NOWHERE;
}
