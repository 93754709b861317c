/**
 * The number of hosts in each state (see hostCounts in the schema). Code that stores, changes or deletes a
 * host must use `countingHost` or `countHost` in the same transaction. `muster doctor` compares the counts
 * with the hosts.
 */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";

/** The columns by which hosts are counted. */
type CountedState = Pick<HostRow, "status" | "stopped" | "heartbeat" | "led">;
type StoredState = { [Column in keyof CountedState]: number };

const COUNTED_COLUMNS: readonly (keyof CountedState)[] = ["status", "stopped", "heartbeat", "led"];

const statements = prepareOnce((db) => ({
  state: db.$client.prepare<StoredState, [hostId: number]>(
    "select status, stopped, heartbeat, led from hosts where id = ?",
  ),
  add: db.$client.prepare<null, [status: number, stopped: number, heartbeat: number, led: number, n: number]>(
    `insert into host_counts (status, stopped, heartbeat, led, n) values (?, ?, ?, ?, ?)
     on conflict (status, stopped, heartbeat, led) do update set n = host_counts.n + excluded.n`,
  ),
}));

function add(db: Db, { status, stopped, heartbeat, led }: StoredState, n: 1 | -1): void {
  statements(db).add.run(status, stopped, heartbeat, led, n);
}

/** Counts a new host. */
export function countHost(db: Db, { status, stopped, heartbeat, led }: CountedState): void {
  add(db, { status, stopped: Number(stopped), heartbeat, led }, 1);
}

/** Whether an update of these columns can change the count to which a host belongs. */
export function isCounted(changes: Partial<HostRow>): boolean {
  return COUNTED_COLUMNS.some((column) => changes[column] !== undefined);
}

/** Runs a change, or the deletion, of a stored host and counts its state before and after. */
export function countingHost<T>(db: Db, hostId: number, change: () => T): T {
  const { state } = statements(db);
  const before = state.get(hostId);
  const result = change();
  const after = state.get(hostId);
  if (before && after && COUNTED_COLUMNS.every((column) => before[column] === after[column])) return result;
  if (before) add(db, before, -1);
  if (after) add(db, after, 1);
  return result;
}
