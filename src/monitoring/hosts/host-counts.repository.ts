/**
 * The number of hosts in each state (see hostCounts in the schema). Code that stores, changes or deletes a host must
 * use `countingHost`, `recountHost` or `countHost` in the same transaction. `muster doctor` compares the counts with
 * the hosts.
 */
import { eq, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { addRows } from "../../platform/storage/rows.ts";
import { type HostRow, hostCounts, hosts } from "../../platform/storage/schema.ts";

/** The columns by which hosts are counted. */
export type CountedState = Pick<HostRow, "status" | "stopped" | "heartbeat" | "led">;

const COUNTED_COLUMNS = ["status", "stopped", "heartbeat", "led"] as const;

const stateStatement = prepareOnce((db) =>
  db
    .select({ status: hosts.status, stopped: hosts.stopped, heartbeat: hosts.heartbeat, led: hosts.led })
    .from(hosts)
    .where(eq(hosts.id, sql.placeholder("hostId")))
    .prepare(),
);

const addToCount = addRows(hostCounts, COUNTED_COLUMNS, "n");

function add(db: Db, { status, stopped, heartbeat, led }: CountedState, n: 1 | -1): void {
  addToCount(db, { status, stopped, heartbeat, led, n });
}

/** Counts a new host. */
export function countHost(db: Db, state: CountedState): void {
  add(db, state, 1);
}

/** Counts a host whose stored state changes. */
export function recountHost(db: Db, before: CountedState, after: CountedState): void {
  if (COUNTED_COLUMNS.every((column) => before[column] === after[column])) return;
  add(db, before, -1);
  add(db, after, 1);
}

/** Whether an update of these columns can change the state in which a host is counted. */
export function isCounted(changes: Partial<HostRow>): boolean {
  return COUNTED_COLUMNS.some((column) => changes[column] !== undefined);
}

/** Runs a change, or the deletion, of a stored host and counts its state before and after. */
export function countingHost<T>(db: Db, hostId: number, change: () => T): T {
  const state = stateStatement(db);
  const before = state.get({ hostId });
  const result = change();
  const after = state.get({ hostId });
  if (before && after) recountHost(db, before, after);
  else if (before) add(db, before, -1);
  else if (after) add(db, after, 1);
  return result;
}
