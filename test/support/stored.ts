/** What is in the database, to see what a call changed and, more often, that it changed nothing. */
import { expect } from "bun:test";
import { getTableName, is, Table } from "drizzle-orm";
import * as schema from "../../src/platform/storage/schema.ts";
import type { TestApp } from "./app.ts";
import type { Reply } from "./client.ts";

export type Stored = Map<string, unknown[]>;

/** What the database itself counts along: it follows from the rest. */
const COUNTS = ["event_counts", "event_name_counts", "group_count_changes", "host_counts"];

/** All rows of all tables but counts and the audit log, which every change adds to: those have tests of their own. */
export function stored(app: TestApp): Stored {
  const tables = Object.values(schema)
    .filter((each) => is(each, Table))
    .map((table) => ({ name: getTableName(table) }))
    .filter(({ name }) => name !== "audit")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const told = tables.filter(({ name }) => !COUNTS.includes(name));
  return new Map(told.map(({ name }) => [name, app.rows(`select * from "${name}" order by 1, 2`)]));
}

/** Names of the tables whose rows are others than before. */
export function changedTables(app: TestApp, before: Stored): string[] {
  const after = stored(app);
  return [...after.keys()].filter((table) => !Bun.deepEquals(after.get(table), before.get(table)));
}

/** Makes a call that must be refused, with this status and code, and leave everything as it was. */
export async function expectRefusal(
  app: TestApp,
  call: () => Promise<Reply>,
  status: number,
  code: string,
): Promise<Reply> {
  const before = stored(app);
  const reply = await call();
  expect([reply.status, reply.json?.code]).toEqual([status, code]);
  expect(changedTables(app, before)).toEqual([]);
  return reply;
}
