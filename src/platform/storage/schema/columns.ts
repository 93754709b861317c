/** Column definitions shared by many tables. */
import { type AnySQLiteColumn, integer, text } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
export const flag = (initial = false) => integer({ mode: "boolean" }).notNull().default(initial);
export const textColumn = () => text().notNull().default("");
/** A list or object of a resource, as JSON. */
export const jsonColumn = () => text({ mode: "json" }).notNull();
export const count = () => integer().notNull().default(0);

/** The id of another table's row. */
export const refersTo = (column: () => AnySQLiteColumn) => integer().notNull().references(column);

/** The id of the row that this row belongs to: it is deleted with that row. */
export const ownedBy = (column: () => AnySQLiteColumn) =>
  integer().notNull().references(column, { onDelete: "cascade" });
