/**
 * The parts of the present that moments depend on: no moment shows a deleted host, and rights follow today's
 * memberships.
 */
import type { Db } from "../../platform/storage/open.ts";
import { HIDDEN } from "../../platform/storage/words.ts";
import { readValues } from "./moment-rows.ts";

export interface Today {
  /** The id of the newest revision. */
  revision: number;
  /** The hosts that are deleted, or whose rows are not all back yet. */
  deleted: string;
}

/** Reads what `isStillToday` compares later. */
export function readToday(db: Db): Today {
  const [newest] = readValues(db, "select max(id) from revisions");
  return { revision: Number(newest?.[0] ?? 0), deleted: deletedHosts(db) };
}

/** Whether no host was deleted or restored since, and no membership changed. */
export function isStillToday(db: Db, { revision, deleted }: Today): boolean {
  // Each change of a membership records a revision. Their ids are not used again.
  const changed = readValues(
    db,
    `select 1 from revisions where id > ? and ${HIDDEN}kind = 'host_group_members' limit 1`,
    revision,
  );
  return changed.length === 0 && deletedHosts(db) === deleted;
}

function deletedHosts(db: Db): string {
  const [row] = readValues(
    db,
    `select string_agg(state || host_id, ',')
     from (select state, host_id from deleted_hosts where state <> 'deleting' order by host_id) as gone`,
  );
  return String(row?.[0] ?? "");
}
