import { getTableColumns, is, Table } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { SQLiteBoolean } from "drizzle-orm/sqlite-core";
import * as schema from "./schema.ts";

/** Names of the columns that hold truth values, in any table. No other column has such a name. */
export const FLAG_COLUMNS: readonly string[] = [
  ...new Set(
    Object.values(schema)
      .filter((each) => is(each, Table))
      .flatMap((table) => Object.entries(getTableColumns(table)))
      .filter(([, column]) => is(column, SQLiteBoolean))
      .map(([name]) => toSnakeCase(name)),
  ),
];
