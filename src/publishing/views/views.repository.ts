import { asc, eq } from "drizzle-orm";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { savedViews, viewTokens } from "../../platform/storage/schema.ts";
import type { ShownContent } from "./views.schemas.ts";

export type SavedView = typeof savedViews.$inferSelect & { content: ShownContent };

/** Deleting a view deletes its tokens. */
export const viewRows = new NamedRows<SavedView>(savedViews);

export function allTokens(db: Db) {
  return db
    .select({
      id: viewTokens.id,
      viewid: viewTokens.viewId,
      viewname: savedViews.name,
      name: viewTokens.name,
      created: viewTokens.createdAt,
      lastused: viewTokens.usedAt,
    })
    .from(viewTokens)
    .innerJoin(savedViews, eq(savedViews.id, viewTokens.viewId))
    .orderBy(asc(viewTokens.id))
    .all();
}

/** A token and its view; undefined if it is unknown or was revoked. */
export function findToken(db: Db, tokenHash: string) {
  const row = db
    .select({ token: viewTokens, view: savedViews })
    .from(viewTokens)
    .innerJoin(savedViews, eq(savedViews.id, viewTokens.viewId))
    .where(eq(viewTokens.tokenHash, tokenHash))
    .get();
  return row && { token: row.token, view: row.view as SavedView };
}

export function insertToken(db: Db, row: typeof viewTokens.$inferInsert): number {
  return db.insert(viewTokens).values(row).returning({ id: viewTokens.id }).get().id;
}

export function touchToken(db: Db, id: number, usedAt: number): void {
  db.update(viewTokens).set({ usedAt }).where(eq(viewTokens.id, id)).run();
}

/** @returns whether there was such a token */
export function deleteToken(db: Db, id: number): boolean {
  return db.delete(viewTokens).where(eq(viewTokens.id, id)).returning({ id: viewTokens.id }).all().length > 0;
}
