import { and, asc, eq, lt, sql } from "drizzle-orm";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enrolmentCodes } from "../../platform/storage/schema.ts";

export type CodeRow = typeof enrolmentCodes.$inferSelect;

/** The codes of a key, oldest first. */
export function codesOfKey(db: Db, keyId: number): CodeRow[] {
  return db
    .select()
    .from(enrolmentCodes)
    .where(eq(enrolmentCodes.keyId, keyId))
    .orderBy(asc(enrolmentCodes.id))
    .all();
}

/** Number of stored codes of a key, including those that are used up or have ended. */
export function countCodes(db: Db, keyId: number): number {
  const ofKey = eq(enrolmentCodes.keyId, keyId);
  return countRows(db, enrolmentCodes, ofKey);
}

/** The code with this id, valid or not, or undefined. Which key the caller manages is not checked. */
export function findCode(db: Db, id: number): CodeRow | undefined {
  return db.select().from(enrolmentCodes).where(eq(enrolmentCodes.id, id)).get();
}

/** The code with this hash, or undefined. Whether it has ended or is used up is not checked. */
export function findCodeByHash(db: Db, codeHash: string): CodeRow | undefined {
  return db.select().from(enrolmentCodes).where(eq(enrolmentCodes.codeHash, codeHash)).get();
}

/** Stores a code by its hash. @returns its id */
export function insertCode(db: Db, row: typeof enrolmentCodes.$inferInsert): number {
  return db.insert(enrolmentCodes).values(row).returning({ id: enrolmentCodes.id }).get().id;
}

/** Counts a use. @returns whether there was one left */
export function countUse(db: Db, id: number, at: number): boolean {
  const isLeft = and(eq(enrolmentCodes.id, id), sql`${enrolmentCodes.used} < ${enrolmentCodes.uses}`);
  const used = db
    .update(enrolmentCodes)
    .set({ used: sql`${enrolmentCodes.used} + 1`, lastused: at })
    .where(isLeft)
    .returning({ id: enrolmentCodes.id })
    .all();
  return used.length > 0;
}

/** Deletes a code; does nothing if there is none. Hosts that were enrolled with it keep reporting. */
export function deleteCode(db: Db, id: number): void {
  db.delete(enrolmentCodes).where(eq(enrolmentCodes.id, id)).run();
}

/** Deletes the codes of a key that ended before a time. */
export function deleteEndedCodes(db: Db, keyId: number, before: number): void {
  db.delete(enrolmentCodes)
    .where(and(eq(enrolmentCodes.keyId, keyId), lt(enrolmentCodes.ends, before)))
    .run();
}
