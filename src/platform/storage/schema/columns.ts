/** Column definitions shared by many tables. */
import { type AnySQLiteColumn, integer, text } from "drizzle-orm/sqlite-core";

/** The key of a row. A number that was used is never used again. */
export const id = () => integer().primaryKey({ autoIncrement: true });
/** A truth value; 1 or 0 in SQLite. */
export const flag = (initial = false) => integer({ mode: "boolean" }).notNull().default(initial);
/** A text; "" for none, never null. */
export const textColumn = () => text().notNull().default("");
/** A list or object of a resource, as JSON. */
export const jsonColumn = () => text({ mode: "json" }).notNull();
/** A number, 0 unless it is set. */
export const count = () => integer().notNull().default(0);

/** The id of another table's row. */
export const refersTo = (column: () => AnySQLiteColumn) => integer().notNull().references(column);

/** The id of the row that this row belongs to: it is deleted with that row. */
export const ownedBy = (column: () => AnySQLiteColumn) =>
  integer().notNull().references(column, { onDelete: "cascade" });
