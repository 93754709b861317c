/**
 * How many hosts are in each state (the schema's hostCounts). Whoever stores, changes or deletes a host goes through
 * `countingHost` or `countHost`, in the same transaction. The doctor compares the counts with the hosts.
 */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";

/** The columns that a host is counted by. */
type CountedState = Pick<HostRow, "status" | "stopped" | "heartbeat" | "led">;
type StoredState = { [Column in keyof CountedState]: number };

const COUNTED_COLUMNS: readonly (keyof CountedState)[] = ["status", "stopped", "heartbeat", "led"];

const statements = prepareOnce((db) => ({
  state: db.$client.prepare<StoredState, [hostId: number]>(
    "select status, stopped, heartbeat, led from hosts where id = ?",
  ),
  add: db.$client.prepare<null, [status: number, stopped: number, heartbeat: number, led: number, n: number]>(
    `insert into host_counts (status, stopped, heartbeat, led, n) values (?, ?, ?, ?, ?)
     on conflict do update set n = n + excluded.n`,
  ),
}));

function add(db: Db, { status, stopped, heartbeat, led }: StoredState, n: 1 | -1): void {
  statements(db).add.run(status, stopped, heartbeat, led, n);
}

/** Counts a host that was just stored. */
export function countHost(db: Db, { status, stopped, heartbeat, led }: CountedState): void {
  add(db, { status, stopped: Number(stopped), heartbeat, led }, 1);
}

/** Whether an update of these columns can move a host from one count to another. */
export function isCounted(changes: Partial<HostRow>): boolean {
  return COUNTED_COLUMNS.some((column) => changes[column] !== undefined);
}

/** Does something to a stored host, its deletion included, and moves it from the count it was in to the one it is in then. */
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
