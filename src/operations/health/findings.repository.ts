import { asc, eq, isNull, lt, sql } from "drizzle-orm";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { healthFindings } from "../../platform/storage/schema.ts";

export type StoredFinding = typeof healthFindings.$inferSelect;

const lastingStatement = prepareOnce((db) =>
  db
    .select()
    .from(healthFindings)
    .where(isNull(healthFindings.endedAt))
    .orderBy(asc(healthFindings.id))
    .prepare(),
);

/** The findings that last. Their number is bounded by those of the checks. */
export function lastingFindings(db: Db): StoredFinding[] {
  return lastingStatement(db).all();
}

/** Stores a finding. At most one of its code and subject may last. */
export function insertFinding(db: Db, row: typeof healthFindings.$inferInsert): void {
  db.insert(healthFindings).values(row).run();
}

/** Sets columns of a finding; does nothing if it was deleted. */
export function updateFinding(db: Db, id: number, values: Partial<StoredFinding>): void {
  db.update(healthFindings).set(values).where(eq(healthFindings.id, id)).run();
}

/** Deletes a finding that never opened, so that nobody was notified of it. */
export function deleteFinding(db: Db, id: number): void {
  db.delete(healthFindings).where(eq(healthFindings.id, id)).run();
}

/** Deletes up to `limit` findings that ended before a time. @returns how many */
export const deleteEnded = deletionBefore(
  healthFindings,
  lt(healthFindings.endedAt, sql.placeholder("before")),
);
