import { and, eq } from "drizzle-orm";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { recoveryCodes } from "../../platform/storage/schema.ts";

/** Number of a user's unused recovery codes. A used code is deleted. */
export function countRecoveryCodes(db: Db, userId: number): number {
  return countRows(db, recoveryCodes, eq(recoveryCodes.userId, userId));
}

/** Deletes a user's recovery codes and stores these; none with an empty list. Call it in a transaction. */
export function replaceRecoveryCodes(db: Db, userId: number, hashes: readonly string[]): void {
  db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  for (const codeHash of hashes) db.insert(recoveryCodes).values({ userId, codeHash }).run();
}

/** Deletes a used code. @returns whether it existed */
export function useRecoveryCode(db: Db, userId: number, codeHash: string): boolean {
  const matches = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash));
  return db.delete(recoveryCodes).where(matches).returning({ id: recoveryCodes.id }).all().length > 0;
}
