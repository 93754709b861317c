import { asc, count, eq } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { savedViews, viewTokens } from "../../platform/storage/schema.ts";
import type { ViewContent } from "./views.schemas.ts";

export interface SavedView extends Omit<typeof savedViews.$inferSelect, "content"> {
  content: ViewContent;
}

function parsed({ content, ...row }: typeof savedViews.$inferSelect): SavedView {
  return { ...row, content: JSON.parse(content) as ViewContent };
}

export function allViews(db: Db): SavedView[] {
  const rows = db.select().from(savedViews).orderBy(asc(savedViews.id)).all();
  return inNameOrder(rows, ({ name }) => name).map(parsed);
}

export function findView(db: Db, id: number): SavedView | undefined {
  const row = db.select().from(savedViews).where(eq(savedViews.id, id)).get();
  return row && parsed(row);
}

export function findViewByName(db: Db, name: string) {
  return db.select({ id: savedViews.id }).from(savedViews).where(eq(savedViews.name, name)).get();
}

export function countViews(db: Db): number {
  return db.select({ n: count() }).from(savedViews).get()?.n ?? 0;
}

export function insertView(db: Db, { content, ...row }: Omit<SavedView, "id">): number {
  const values = { ...row, content: JSON.stringify(content) };
  return db.insert(savedViews).values(values).returning({ id: savedViews.id }).get().id;
}

export function updateView(db: Db, id: number, { content, ...row }: Partial<Omit<SavedView, "id">>): void {
  const values = { ...row, ...(content && { content: JSON.stringify(content) }) };
  db.update(savedViews).set(values).where(eq(savedViews.id, id)).run();
}

/** Deletes a view with its tokens. */
export function deleteView(db: Db, id: number): void {
  db.delete(savedViews).where(eq(savedViews.id, id)).run();
}

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
  return row && { token: row.token, view: parsed(row.view) };
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
