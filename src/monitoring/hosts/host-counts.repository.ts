/**
 * The number of hosts in each state (see hostCounts in the schema). Code that stores, changes or deletes a
 * host must use `countingHost`, `recountHost` or `countHost` in the same transaction. `muster doctor` compares the counts
 * with the hosts.
 */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { rowWriter } from "../../platform/storage/row-writer.ts";
import type { HostRow } from "../../platform/storage/schema.ts";

/** The columns by which hosts are counted. */
export type CountedState = Pick<HostRow, "status" | "stopped" | "heartbeat" | "led">;
type StoredState = { [Column in keyof CountedState]: number };

const COUNTED_COLUMNS: readonly (keyof CountedState)[] = ["status", "stopped", "heartbeat", "led"];

const stateStatement = prepareOnce((db) =>
  db.$client.prepare<StoredState, [hostId: number]>(
    "select status, stopped, heartbeat, led from hosts where id = ?",
  ),
);

const addStatement = rowWriter<[status: number, stopped: number, heartbeat: number, led: number, n: number]>({
  sqlite: `insert into host_counts (status, stopped, heartbeat, led, n) values (?, ?, ?, ?, ?)
    on conflict (status, stopped, heartbeat, led) do update set n = host_counts.n + excluded.n`,
  postgres: `insert into host_counts (status, stopped, heartbeat, led, n)
    select status, stopped, heartbeat, led, sum(n)
    from unnest(?1::bigint[], ?2::boolean[], ?3::bigint[], ?4::bigint[], ?5::bigint[])
      as given(status, stopped, heartbeat, led, n)
    group by status, stopped, heartbeat, led
    on conflict (status, stopped, heartbeat, led) do update set n = host_counts.n + excluded.n`,
});

function add(db: Db, { status, stopped, heartbeat, led }: StoredState, n: 1 | -1): void {
  addStatement(db, status, stopped, heartbeat, led, n);
}

function stored(state: CountedState): StoredState {
  return { ...state, stopped: Number(state.stopped) };
}

/** Counts a new host. */
export function countHost(db: Db, state: CountedState): void {
  add(db, stored(state), 1);
}

/** Counts a host whose stored state changes. */
export function recountHost(db: Db, before: CountedState, after: CountedState): void {
  if (COUNTED_COLUMNS.every((column) => before[column] === after[column])) return;
  add(db, stored(before), -1);
  add(db, stored(after), 1);
}

/** Whether an update of these columns can change the count to which a host belongs. */
export function isCounted(changes: Partial<HostRow>): boolean {
  return COUNTED_COLUMNS.some((column) => changes[column] !== undefined);
}

/** Runs a change, or the deletion, of a stored host and counts its state before and after. */
export function countingHost<T>(db: Db, hostId: number, change: () => T): T {
  const state = stateStatement(db);
  const before = state.get(hostId);
  const result = change();
  const after = state.get(hostId);
  if (before && after && COUNTED_COLUMNS.every((column) => before[column] === after[column])) return result;
  if (before) add(db, before, -1);
  if (after) add(db, after, 1);
  return result;
}
