/** Acknowledgements of failures of Muster itself. */
import { and, asc, eq, getTableColumns, inArray, isNull, not, sql } from "drizzle-orm";
import type { Acknowledgement } from "../../monitoring/uptime/acknowledgements.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  deliveries,
  deliveryFindings,
  findingAcknowledgements,
  healthAlerts,
  healthFindings,
} from "../../platform/storage/schema.ts";
import { hasReportedEnd } from "../notifications/alerts.repository.ts";

/** The finding of this id, open or ended, or undefined. */
export function findFinding(db: Db, id: number) {
  return db.select().from(healthFindings).where(eq(healthFindings.id, id)).get();
}

/**
 * Stores an acknowledgement. Any previous one of the finding must have been ended, in the same transaction.
 */
export function insertFindingAcknowledgement(
  db: Db,
  row: Omit<typeof findingAcknowledgements.$inferInsert, "id" | "endedAt">,
): void {
  db.insert(findingAcknowledgements).values(row).run();
}

/** Ends the acknowledgement of a finding, if there is one. @param at unix seconds */
export function endFindingAcknowledgement(db: Db, findingId: number, at: number): void {
  const { findingId: ofFinding, endedAt } = findingAcknowledgements;
  db.update(findingAcknowledgements)
    .set({ endedAt: at })
    .where(and(eq(ofFinding, findingId), isNull(endedAt)))
    .run();
}

/** The acknowledgements of findings that are in effect, keyed by finding. @param now unix seconds */
export function findingAcknowledgementsOf(
  db: Db,
  findingIds: readonly number[],
  now: number,
): Map<number, Acknowledgement> {
  const { findingId, uname, createdAt: date, until, note, endedAt } = findingAcknowledgements;
  const rows = db
    .select({ findingId, uname, date, until, note })
    .from(findingAcknowledgements)
    .where(
      and(inArray(findingId, [...findingIds]), isNull(endedAt), sql`(${until} is null or ${until} > ${now})`),
    )
    .all();
  return new Map(rows.map(({ findingId: id, ...acknowledgement }) => [id, acknowledgement]));
}

/** Like `lastingErrors` for failures of Muster itself. */
export function lastingFindingsOf(db: Db, deliveryId: number) {
  const newest = sql`(select lasting.id from ${healthFindings} as lasting where lasting.code = ${healthFindings.code}
    and lasting.subject = ${healthFindings.subject} and lasting.ended_at is null
    and lasting.opened_at <= ${deliveries.createdAt})`;
  const isOver = sql`exists (select 1 from ${healthAlerts}
    where ${healthAlerts.findingId} = ${deliveryFindings.findingId}
    and ${healthAlerts.ruleId} = ${deliveries.ruleId} and ${hasReportedEnd(healthAlerts)})`;
  const ids = db
    .select({ id: sql<number | null>`${newest}` })
    .from(deliveryFindings)
    .innerJoin(deliveries, eq(deliveries.id, deliveryFindings.deliveryId))
    .innerJoin(healthFindings, eq(healthFindings.id, deliveryFindings.findingId))
    .where(and(eq(deliveryFindings.deliveryId, deliveryId), not(isOver)))
    .all()
    .flatMap(({ id }) => id ?? []);
  return db
    .select(getTableColumns(healthFindings))
    .from(healthFindings)
    .where(inArray(healthFindings.id, ids))
    .orderBy(asc(healthFindings.id))
    .all();
}
