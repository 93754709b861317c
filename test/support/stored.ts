/** The content of the database, to see what a call changed and, more often, that it changed nothing. */
import { expect } from "bun:test";
import { getTableName, is, Table } from "drizzle-orm";
import * as schema from "../../src/platform/storage/schema.ts";
import type { TestApp } from "./app.ts";
import type { Reply } from "./client.ts";
import { isOnPostgres } from "./database.ts";

export type Stored = Map<string, unknown[]>;

/** Counts that the database itself maintains: they follow from the other tables. */
const COUNTS = ["event_counts", "event_name_counts", "group_count_changes", "host_counts"];

const TABLES = Object.values(schema)
  .filter((each) => is(each, Table))
  .map(getTableName)
  .filter((name) => name !== "audit" && !COUNTS.includes(name))
  .sort();

/** The last content that was read of each app, with the state of its database then. */
const last = new WeakMap<TestApp, { state: unknown; rows: Stored }>();

/** Stays the same while nothing is written. Null on PostgreSQL, which has no such counters. */
function stateOf(app: TestApp): unknown {
  if (isOnPostgres()) return null;
  // Changes of this connection, of others, and of the tables themselves.
  return app.rows(`select total_changes() as rows, data_version, schema_version
    from pragma_data_version, pragma_schema_version`);
}

/**
 * All rows of all tables except counts and the audit log, which every change adds to and which have their own tests.
 */
export function stored(app: TestApp): Stored {
  const state = stateOf(app);
  const previous = last.get(app);
  if (previous && state !== null && Bun.deepEquals(previous.state, state)) return previous.rows;
  const rows = new Map(TABLES.map((name) => [name, app.rows(`select * from "${name}" order by 1, 2`)]));
  last.set(app, { state, rows });
  return rows;
}

/** Names of all tables whose rows changed. */
function allChangedTables(app: TestApp, before: Stored): string[] {
  const after = stored(app);
  return [...after.keys()].filter((table) => !Bun.deepEquals(after.get(table), before.get(table)));
}

/** Names of the tables whose rows changed, but for the revisions of these rows, which have their own tests. */
export function changedTables(app: TestApp, before: Stored): string[] {
  return allChangedTables(app, before).filter((table) => table !== "revisions");
}

/** Makes a call that must be refused with this status and code, and change nothing. */
export async function expectRefusal(
  app: TestApp,
  call: () => Promise<Reply>,
  status: number,
  code: string,
): Promise<Reply> {
  const before = stored(app);
  const reply = await call();
  expect([reply.status, reply.json?.code]).toEqual([status, code]);
  expect(allChangedTables(app, before)).toEqual([]);
  return reply;
}
