import { and, asc, desc, eq, gt, inArray, lt, lte, sql } from "drizzle-orm";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { queuedActions } from "../../platform/storage/schema.ts";
import { MAX_KEPT } from "./actions.schemas.ts";

export type ActionRow = typeof queuedActions.$inferSelect;

// Literals, so that the partial indexes serve these conditions.
const isWaiting = sql`${queuedActions.state} = 'waiting'`;
const isPending = sql`${queuedActions.state} in ('waiting', 'fetched')`;

/** Stores an action. Does not check how many wait for the host already. @returns its id */
export function insertAction(db: Db, row: Omit<typeof queuedActions.$inferInsert, "id">): number {
  return db.insert(queuedActions).values(row).returning({ id: queuedActions.id }).get().id;
}

const waitingStatement = prepareOnce((db) =>
  db
    .select()
    .from(queuedActions)
    .where(
      and(
        eq(queuedActions.hostId, sql.placeholder("hostId")),
        isWaiting,
        gt(queuedActions.until, sql.placeholder("now")),
      ),
    )
    .orderBy(asc(queuedActions.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** The actions of a host that still wait for its agent at `now`, oldest first. */
export function waitingActions(db: Db, hostId: number, now: number, limit: number): ActionRow[] {
  return waitingStatement(db).all({ hostId, now, limit });
}

/** Moves an action from one state to another, unless it has left the first one. @returns whether it was moved */
export function changeAction(
  db: Db,
  id: number,
  from: ActionRow["state"],
  changes: Partial<ActionRow>,
): boolean {
  const changed = db
    .update(queuedActions)
    .set(changes)
    .where(and(eq(queuedActions.id, id), eq(queuedActions.state, from)))
    .returning({ id: queuedActions.id })
    .all();
  return changed.length > 0;
}

/** An action, if it is one of the host. */
export function findAction(db: Db, id: number, hostId: number): ActionRow | undefined {
  return db
    .select()
    .from(queuedActions)
    .where(and(eq(queuedActions.id, id), eq(queuedActions.hostId, hostId)))
    .get();
}

const overdueStatement = prepareOnce((db) =>
  db
    .select()
    .from(queuedActions)
    .where(and(isPending, lte(queuedActions.until, sql.placeholder("now"))))
    .orderBy(asc(queuedActions.until))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Pending actions whose time is up at `now`: they were not fetched, or their result did not come. */
export function overdueActions(db: Db, now: number, limit: number): ActionRow[] {
  return overdueStatement(db).all({ now, limit });
}

/** The last actions of a host, newest first. */
export function lastActions(db: Db, hostId: number): ActionRow[] {
  return db
    .select()
    .from(queuedActions)
    .where(eq(queuedActions.hostId, hostId))
    .orderBy(desc(queuedActions.id))
    .limit(MAX_KEPT)
    .all();
}

/** Number of a host's actions that wait, or were fetched and have no result yet. */
export function countPendingActions(db: Db, hostId: number): number {
  return countRows(db, queuedActions, and(eq(queuedActions.hostId, hostId), isPending));
}

/** Deletes the oldest ended actions of a host, so that at most `MAX_KEPT` actions remain. */
export function deleteExcessActions(db: Db, hostId: number): void {
  const excess = countRows(db, queuedActions, eq(queuedActions.hostId, hostId)) - MAX_KEPT;
  if (excess <= 0) return;
  const oldest = db
    .select({ id: queuedActions.id })
    .from(queuedActions)
    .where(and(eq(queuedActions.hostId, hostId), sql`not ${isPending}`))
    .orderBy(asc(queuedActions.id))
    .limit(excess);
  db.delete(queuedActions).where(inArray(queuedActions.id, oldest)).run();
}

/** Deletes a batch of ended actions that were queued before a time. @returns how many */
export const deleteOldActions = deletionBefore(
  queuedActions,
  and(lt(queuedActions.createdAt, sql.placeholder("before")), sql`not ${isPending}`),
);
