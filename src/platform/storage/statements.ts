/** Prepared statements whose columns depend on the row that is written. */
import { sql } from "drizzle-orm";
import { type Db, prepareOnce } from "./open.ts";

/**
 * Placeholders named after their columns. Values are bound as they are: Drizzle does not encode placeholders.
 */
export function placeholders(columns: readonly string[]) {
  return Object.fromEntries(columns.map((column) => [column, sql`${sql.placeholder(column)}`]));
}

/** Prepared statements cached by the set of columns they write. There are few such sets. */
export function byColumns<T>(build: (db: Db, columns: string[]) => T): (db: Db, row: object) => T {
  const known = prepareOnce(() => new Map<string, T>());
  return (db, row) => {
    const columns = Object.keys(row).sort();
    const key = columns.join();
    const statement = known(db).get(key) ?? build(db, columns);
    known(db).set(key, statement);
    return statement;
  };
}
