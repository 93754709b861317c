import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** The name of a column in the database. Drizzle knows only its name in TypeScript. */
export function columnName({ name }: Pick<SQLiteColumn, "name">): string {
  return toSnakeCase(name);
}
