import { asc, eq, getTableName, gt } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { deletedHostRows, deletedHosts, hosts } from "../../platform/storage/schema.ts";

/** The most payloads that are read at once: each has up to 200 rows. */
const AT_ONCE = 100;

/** The packed rows of deleted hosts with the next ids after one, up to AT_ONCE. */
export function packedRowsAfter(db: Db, lastId: number) {
  const { id, hostId, source, payload } = deletedHostRows;
  return db
    .select({ id, hostId, source, payload, hostname: deletedHosts.hostname })
    .from(deletedHostRows)
    .innerJoin(deletedHosts, eq(deletedHosts.hostId, hostId))
    .where(gt(id, lastId))
    .orderBy(asc(id))
    .limit(AT_ONCE)
    .all();
}

/** Whether packed rows are those of the host itself, without which the others cannot be restored. */
export const isHostItself = (source: string) => source === getTableName(hosts);

/** Deletes packed rows. */
export function deletePackedRows(db: Db, id: number): void {
  db.delete(deletedHostRows).where(eq(deletedHostRows.id, id)).run();
}
