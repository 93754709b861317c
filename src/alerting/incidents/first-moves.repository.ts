import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { alerts, events } from "../../platform/storage/schema.ts";
import { unindexed } from "../../platform/storage/words.ts";

// Both run every second, even while nothing happens.
const newest = prepareOnce((db) =>
  db
    .select({ id: max(alerts.id) })
    .from(alerts)
    .prepare(),
);
const errorsAfter = prepareOnce((db) =>
  db
    .select({ id: alerts.id, eventId: alerts.eventId, createdAt: alerts.createdAt })
    .from(alerts)
    .innerJoin(events, eq(events.id, alerts.eventId))
    .where(and(gt(alerts.id, sql.placeholder("id")), sql`${unindexed(events.state)} = ${ERROR}`))
    .orderBy(asc(alerts.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** The id of the newest alert; 0 without any. */
export function newestAlert(db: Db): number {
  return newest(db).get()?.id ?? 0;
}

/** Alerts about errors that were created after another one, oldest first. */
export function alertedErrorsAfter(db: Db, id: number, limit: number) {
  return errorsAfter(db).all({ id, limit });
}
