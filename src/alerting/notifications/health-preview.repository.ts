import { asc, desc, eq, getTableColumns, gte, isNull, or } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { findingAcknowledgements, healthFindings } from "../../platform/storage/schema.ts";

export type PastFinding = typeof healthFindings.$inferSelect;

/** The newest findings about Muster itself that last or ended at `from` or later, newest first. */
export function newestFindings(db: Db, from: number, limit: number): PastFinding[] {
  return db
    .select(getTableColumns(healthFindings))
    .from(healthFindings)
    .where(or(isNull(healthFindings.endedAt), gte(healthFindings.endedAt, from)))
    .orderBy(desc(healthFindings.since), desc(healthFindings.id))
    .limit(limit)
    .all();
}

/** Acknowledgements of findings that were active at `from` or later. */
export function findingAcknowledgementsSince(db: Db, from: number) {
  const { findingId, uname, createdAt, until, endedAt } = findingAcknowledgements;
  const { code, subject } = healthFindings;
  return db
    .select({ uname, createdAt, until, endedAt, code, subject })
    .from(findingAcknowledgements)
    .innerJoin(healthFindings, eq(healthFindings.id, findingId))
    .where(or(isNull(endedAt), gte(endedAt, from)))
    .orderBy(asc(findingAcknowledgements.id))
    .all();
}
