import { and, asc, eq } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { apiTokens, callerColumns, users } from "../../platform/storage/schema.ts";

export type NewToken = typeof apiTokens.$inferInsert;

/** A user's tokens as shown to that user. Times are unix seconds, null where there is none. */
export function tokensOf(db: Db, userId: number) {
  const rows = db
    .select({
      id: apiTokens.id,
      name: apiTokens.name,
      scope: apiTokens.scope,
      created: apiTokens.createdAt,
      expires: apiTokens.expiresAt,
      lastused: apiTokens.usedAt,
    })
    .from(apiTokens)
    .where(eq(apiTokens.userId, userId))
    .orderBy(asc(apiTokens.id))
    .all();
  return inNameOrder(rows, ({ name }) => name);
}

/** Number of a user's tokens, including those that have expired. */
export function countTokens(db: Db, userId: number): number {
  return countRows(db, apiTokens, eq(apiTokens.userId, userId));
}

/** The token with this hash and its owner, or undefined. Whether it has expired is not checked. */
export function findToken(db: Db, tokenHash: string) {
  return db
    .select({ token: apiTokens, user: callerColumns })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .where(eq(apiTokens.tokenHash, tokenHash))
    .get();
}

/** Stores a token by its hash. @returns its id */
export function insertToken(db: Db, row: NewToken): number {
  return db.insert(apiTokens).values(row).returning({ id: apiTokens.id }).get().id;
}

/** Sets when a token was last used, unix seconds; does nothing if it was deleted. */
export function touchToken(db: Db, id: number, usedAt: number): void {
  db.update(apiTokens).set({ usedAt }).where(eq(apiTokens.id, id)).run();
}

/** Deletes a token of this user. @returns whether it existed */
export function deleteToken(db: Db, userId: number, id: number): boolean {
  const isOfUser = and(eq(apiTokens.id, id), eq(apiTokens.userId, userId));
  return db.delete(apiTokens).where(isOfUser).returning({ id: apiTokens.id }).all().length > 0;
}
