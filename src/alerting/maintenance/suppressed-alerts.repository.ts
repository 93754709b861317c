import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { alerts, alertWakes, healthAlerts, REPORTED } from "../../platform/storage/schema.ts";

const TABLES = { events: alerts, findings: healthAlerts } as const;

/**
 * Asks for the alerts to become due that mutes suppressed, because one ended or changed. `wakeSome` does it in steps.
 * The request is stored, so that a restart loses none of it.
 */
export function wakeSuppressed(db: Db): void {
  db.insert(alertWakes)
    .values(REPORTED.map((reported) => ({ reported, afterId: 0 })))
    .onConflictDoUpdate({ target: alertWakes.reported, set: { afterId: 0 } })
    .run();
}

const requested = prepareOnce((db) =>
  db.select().from(alertWakes).orderBy(asc(alertWakes.reported)).limit(1).prepare(),
);

/** Whether alerts are still to become due. */
export function isWaking(db: Db): boolean {
  return requested(db).get() !== undefined;
}

/**
 * Makes the next suppressed alerts due that are not yet. Call it in a transaction.
 * @param limit most alerts that it reads @param now unix seconds @returns how many it read
 */
export function wakeSome(db: Db, limit: number, now: number): number {
  const request = requested(db).get();
  if (!request) return 0;
  const { reported, afterId } = request;
  const table = TABLES[reported];
  const ids = db
    .select({ id: table.id })
    .from(table)
    // The empty text is written out, as the index has it.
    .where(and(gt(table.id, afterId), isNull(table.closedAt), sql`${table.outcome} <> ''`))
    .orderBy(asc(table.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  const last = ids.at(-1);
  if (last !== undefined)
    db.update(table)
      .set({ dueAt: now })
      .where(and(inArray(table.id, ids), gt(table.dueAt, now)))
      .run();
  const ofRequest = eq(alertWakes.reported, reported);
  if (last === undefined || ids.length < limit) db.delete(alertWakes).where(ofRequest).run();
  else db.update(alertWakes).set({ afterId: last }).where(ofRequest).run();
  return ids.length;
}
