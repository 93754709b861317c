import { and, asc, desc, eq, getTableName, gt, isNotNull, lte, sql } from "drizzle-orm";
import { batchesOf } from "../../platform/batches.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { type Db, onRollback, prepareOnce } from "../../platform/storage/open.ts";
import {
  deletedHostRows,
  deletedHosts,
  downtimeIntervals,
  events,
  excludedIntervals,
  historyBlocks,
  hostGroupMembers,
  hosts,
  outputChanges,
  revisions,
  samples,
  services,
  silentRecoveries,
} from "../../platform/storage/schema.ts";
import { indexedBy, listOf, NO_LIMIT } from "../../platform/storage/words.ts";
import { changeEventCounts, kindsOf } from "../events/event-counts.repository.ts";
import { deleteEventsIn } from "../events/event-deletion.repository.ts";
import { wordSetIdOf } from "../events/event-words.repository.ts";
import { changeMembership } from "../events/group-counts.repository.ts";
import { countHost } from "./host-counts.repository.ts";
import { deleteHost } from "./hosts.repository.ts";
import {
  deleteRows,
  packed,
  type RowsByTable,
  restore,
  someRowsOf,
  tablesOwnedBy,
  withOwned,
} from "./stored-rows.repository.ts";

export type DeletedHost = typeof deletedHosts.$inferSelect;

// Rows that one step moves, which takes a few milliseconds. Events cost more than other rows.
const EVENTS = 50;
const RECORDS = 200;

/**
 * Tables that can have many rows of a host. The other rows are moved together with the host itself, among them the open
 * intervals, of which each service has only a few.
 */
const RECORDS_OF_HOST = [
  { table: historyBlocks },
  { table: samples },
  { table: outputChanges },
  { table: silentRecoveries },
  { table: revisions },
  { table: downtimeIntervals, where: isNotNull(downtimeIntervals.endedAt) },
  { table: excludedIntervals, where: isNotNull(excludedIntervals.endedAt) },
];

/** Tables that are restored first, in this order: events are counted for the host's groups and services. */
const inOrder = [hosts, hostGroupMembers, services];

const moving = prepareOnce((db) => {
  const ids = sql`select host_id from ${deletedHosts} ${indexedBy("deleted_hosts_moving")}
    where state <> 'deleted' order by host_id limit ${sql.placeholder("limit")}`;
  return db
    .select()
    .from(deletedHosts)
    .where(sql`${deletedHosts.hostId} in (${ids})`)
    .orderBy(asc(deletedHosts.hostId))
    .prepare();
});

/** The first hosts by id whose rows are being moved. */
export function movingHosts(db: Db, limit: number): DeletedHost[] {
  return moving(db).all({ limit });
}

/** Hosts that are being restored. */
const restoring = prepareOnce((db) => {
  const hostsMoving = movingHosts(db, NO_LIMIT);
  return new Set(hostsMoving.filter(({ state }) => state === "restoring").map(({ hostId }) => hostId));
});

/** Whether some rows of a host have not been restored yet. Reads the database only at the first call. */
export function isBeingRestored(db: Db, hostId: number): boolean {
  return restoring(db).has(hostId);
}

/**
 * The deleted host with this id, even while its rows are still being moved or restored; undefined if it is not deleted.
 */
export function findDeletedHost(db: Db, hostId: number): DeletedHost | undefined {
  return db.select().from(deletedHosts).where(eq(deletedHosts.hostId, hostId)).get();
}

/** Hosts whose deletion can still be undone, the last deleted first. */
export function listDeleted(db: Db, now: number, { limit, offset }: { limit: number; offset: number }) {
  const where = and(gt(deletedHosts.until, now), eq(deletedHosts.state, "deleted"));
  const records = db
    .select({
      id: deletedHosts.hostId,
      hostname: deletedHosts.hostname,
      agentid: deletedHosts.agentId,
      deletedby: deletedHosts.deletedBy,
      deletedat: deletedHosts.deletedAt,
      until: deletedHosts.until,
      newid: hosts.id,
      newname: hosts.hostname,
    })
    .from(deletedHosts)
    .leftJoin(hosts, eq(hosts.agentId, deletedHosts.agentId))
    .where(where)
    .orderBy(desc(deletedHosts.until), asc(deletedHosts.hostId))
    .limit(limit)
    .offset(offset)
    .all();
  return { records, total: countRows(db, deletedHosts, where) };
}

/** Marks a host as deleted. Its rows stay in their tables until they are moved, in steps. */
export function insertDeleting(db: Db, row: Omit<DeletedHost, "state" | "agentpassword">): void {
  db.insert(deletedHosts)
    .values({ ...row, state: "deleting" })
    .run();
}

/** Sets when the deletion of a host becomes final. Retention deletes its rows then. */
export function setUntil(db: Db, hostId: number, until: number): void {
  db.update(deletedHosts).set({ until }).where(eq(deletedHosts.hostId, hostId)).run();
}

/**
 * Marks a deleted host as being restored. Until its rows are back, moved in steps, the host cache refuses to
 * load it.
 */
export function setRestoring(db: Db, hostId: number): void {
  db.update(deletedHosts).set({ state: "restoring" }).where(eq(deletedHosts.hostId, hostId)).run();
  restoring(db).add(hostId);
  onRollback(db, () => restoring(db).delete(hostId));
}

function keep(db: Db, hostId: number, rows: RowsByTable): void {
  for (const [table, ofTable] of rows)
    for (const some of batchesOf(ofTable, RECORDS)) {
      const payload = packed(db, table, some);
      db.insert(deletedHostRows)
        .values({ hostId, source: getTableName(table), payload })
        .run();
    }
}

/** Moves some of the history of a host that is being deleted. @returns whether there may be more */
export function moveSomeHistory(db: Db, hostId: number): boolean {
  const past = someRowsOf(db, events, hostId, EVENTS, eq(events.active, false));
  if (past.length > 0) {
    keep(db, hostId, withOwned(db, events, past));
    deleteEventsIn(db, listOf(past.map(({ id }) => Number(id))));
    return true;
  }
  for (const { table, where } of RECORDS_OF_HOST) {
    const rows = someRowsOf(db, table, hostId, RECORDS, where);
    if (rows.length === 0) continue;
    keep(db, hostId, new Map([[table, rows]]));
    deleteRows(db, table, rows);
    return true;
  }
  return false;
}

/** Moves the remaining rows of a host, with its own row. */
export function moveHost(db: Db, hostId: number, deletedAt: number, until: number): void {
  deleteHost(db, hostId, () => {
    const host = db.select().from(hosts).where(eq(hosts.id, hostId)).get();
    if (!host) throw new Error(`there is no host ${hostId}`);
    const { agentId, hostname, agentpassword } = host;
    // The password stays in its own column, where a rotation of keys encrypts it again.
    keep(db, hostId, withOwned(db, hosts, [{ ...host, agentpassword: "" }]));
    db.update(deletedHosts)
      .set({ agentId, hostname, agentpassword, deletedAt, until, state: "deleted" })
      .where(eq(deletedHosts.hostId, hostId))
      .run();
  });
}

/** The rows to restore next, in the order of `inOrder` and then of the tables that they belong to. */
function nextStored(db: Db, hostId: number) {
  const stored = db
    .selectDistinct({ source: deletedHostRows.source })
    .from(deletedHostRows)
    .where(eq(deletedHostRows.hostId, hostId))
    .all();
  const sources = new Set(stored.map(({ source }) => source));
  const table = [...inOrder, ...tablesOwnedBy(hosts)].find((ownedTable) =>
    sources.has(getTableName(ownedTable)),
  );
  if (!table) return null;
  const ofTable = and(eq(deletedHostRows.hostId, hostId), eq(deletedHostRows.source, getTableName(table)));
  const next = db
    .select()
    .from(deletedHostRows)
    .where(ofTable)
    .orderBy(asc(deletedHostRows.id))
    .limit(1)
    .get();
  return next ? { table, next } : null;
}

function groupsOf(db: Db, hostId: number): Set<unknown> {
  const { groupId } = hostGroupMembers;
  const members = db.select({ groupId }).from(hostGroupMembers).where(eq(hostGroupMembers.hostId, hostId));
  return new Set(members.all().map((row) => row.groupId));
}

/** Restores some rows of a host. @returns whether there were any */
export function restoreSome(db: Db, { hostId, agentpassword }: DeletedHost): boolean {
  const stored = nextStored(db, hostId);
  if (!stored) return false;
  const { table, next } = stored;
  const mend = ({ id, ...row }: Record<string, unknown>) => {
    // The id may belong to another sample by now. Other tables do not reuse ids.
    if (table === samples) return row;
    if (id !== undefined) row.id = id;
    if (table === hosts) return { ...row, agentpassword };
    return table === events ? { ...row, wordSetId: wordSetIdOf(db, String(row.message)) } : row;
  };
  // A dependency between two deleted hosts is restored with the second of them.
  const withoutHost = (otherId: number, rows: Record<string, unknown>[]) => {
    if (findDeletedHost(db, otherId)) keep(db, otherId, new Map([[table, rows]]));
  };
  const joined = table === hostGroupMembers ? groupsOf(db, hostId) : new Set();
  const rows = restore(db, table, next.payload, { mend, withoutHost });
  for (const row of rows) {
    if (table === hosts) countHost(db, row as typeof hosts.$inferSelect);
    if (table === hostGroupMembers && !joined.has(row.groupId))
      changeMembership(db, hostId, Number(row.groupId), 1);
  }
  if (table === events) {
    // An event that the agent sent again in the meantime was stored and counted then, with another id.
    const ids = listOf(rows.map(({ id }) => Number(id)));
    const present = db.select().from(events).where(sql`${events.id} in ${ids}`);
    changeEventCounts(db, hostId, kindsOf(present.all()), 1);
  }
  db.delete(deletedHostRows).where(eq(deletedHostRows.id, next.id)).run();
  return true;
}

/** Ends a restoration. The time of the deletion counts neither as up nor as down. */
export function endRestoring(db: Db, { hostId, deletedAt }: DeletedHost, now: number): void {
  if (deletedAt < now)
    db.insert(excludedIntervals)
      .values({ hostId, reason: "deleted", startedAt: deletedAt, endedAt: now })
      .run();
  db.delete(deletedHosts).where(eq(deletedHosts.hostId, hostId)).run();
  restoring(db).delete(hostId);
  onRollback(db, () => restoring(db).add(hostId));
}

/**
 * Deletes some rows of a host whose deletion has become final. Once they are gone, deletes the entry of the host.
 * @returns `limit`; 0 if there is no such host
 */
export function deleteFinal(db: Db, now: number, limit: number): number {
  const final = db
    .select({ id: deletedHosts.hostId })
    .from(deletedHosts)
    .where(and(lte(deletedHosts.until, now), eq(deletedHosts.state, "deleted")))
    .orderBy(asc(deletedHosts.until))
    .limit(1)
    .get();
  if (!final) return 0;
  const rows = db
    .select({ id: deletedHostRows.id })
    .from(deletedHostRows)
    .where(eq(deletedHostRows.hostId, final.id))
    .limit(limit)
    .all();
  if (rows.length > 0) deleteRows(db, deletedHostRows, rows);
  else db.delete(deletedHosts).where(eq(deletedHosts.hostId, final.id)).run();
  return limit;
}
