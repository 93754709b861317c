/** Prepared statements whose columns depend on the row that is written. */
import { sql } from "drizzle-orm";
import { type Db, prepareOnce } from "./open.ts";

/** What is bound under the name of its column, and as it is: an update with placeholders alone is encoded by nobody. */
export function placeholders(columns: readonly string[]) {
  return Object.fromEntries(columns.map((column) => [column, sql`${sql.placeholder(column)}`]));
}

/** Statements by the columns that they set, of which there are few sets. */
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
