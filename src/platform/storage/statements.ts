/** Prepared statements whose columns depend on the written row. */
import { sql } from "drizzle-orm";
import { type Db, prepareOnce } from "./open.ts";

/** Drizzle does not encode placeholders within SQL: their values reach the engine unchanged. */
function placeholders(columns: readonly string[]) {
  return Object.fromEntries(columns.map((column) => [column, sql`${sql.placeholder(column)}`]));
}

/**
 * Like `prepareOnce`, for a statement that writes some columns of a table: it is prepared once for each set of
 * columns that rows have. There should be few such sets.
 * @param build makes the statement; in place of values it gets placeholders, each with the name of its column
 */
export function byColumns<Row extends object, T>(build: (db: Db, values: Row) => T): (db: Db, row: Row) => T {
  const ofDatabase = prepareOnce(() => new Map<string, T>());
  return (db, row) => {
    const statements = ofDatabase(db);
    const columns = Object.keys(row).sort();
    const key = columns.join();
    const statement = statements.get(key) ?? build(db, placeholders(columns) as Row);
    statements.set(key, statement);
    return statement;
  };
}
