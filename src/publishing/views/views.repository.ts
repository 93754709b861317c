import { asc, eq } from "drizzle-orm";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { savedViews, viewTokens } from "../../platform/storage/schema.ts";
import { type ShownContent, withAllCpuParts } from "./views.schemas.ts";

export type SavedView = typeof savedViews.$inferSelect & { content: ShownContent };
type StoredView = typeof savedViews.$inferSelect & { content: StoredContent };
type StoredContent = Omit<ShownContent, "rankings"> & Partial<Pick<ShownContent, "rankings">>;

function shownRanking<T extends Pick<ShownContent, "statistics">>(ranking: T): T {
  return { ...ranking, statistics: withAllCpuParts(ranking.statistics) };
}

/** A view as it is shown. One of version 1.0 has no rankings, and its CPU usage lacks six parts. */
function shownView({ content, ...row }: StoredView): SavedView {
  const rankings = (content.rankings ?? []).map(shownRanking);
  return { ...row, content: { ...shownRanking(content), rankings } };
}

class ViewRows extends NamedRows<SavedView, StoredView> {
  protected override complete(_db: Db, rows: readonly StoredView[]): SavedView[] {
    return rows.map(shownView);
  }
}

/** Deleting a view deletes its tokens. */
export const viewRows = new ViewRows(savedViews);

/** The tokens of all views, oldest first, with the names of their views but not their secrets. */
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
  return row && { token: row.token, view: shownView(row.view as StoredView) };
}

/** Stores a token of a view by its hash. @returns its id */
export function insertToken(db: Db, row: typeof viewTokens.$inferInsert): number {
  return db.insert(viewTokens).values(row).returning({ id: viewTokens.id }).get().id;
}

/** Sets when a token of a view was last used, unix seconds; does nothing if it was deleted. */
export function touchToken(db: Db, id: number, usedAt: number): void {
  db.update(viewTokens).set({ usedAt }).where(eq(viewTokens.id, id)).run();
}

/** @returns whether there was such a token */
export function deleteToken(db: Db, id: number): boolean {
  return db.delete(viewTokens).where(eq(viewTokens.id, id)).returning({ id: viewTokens.id }).all().length > 0;
}
