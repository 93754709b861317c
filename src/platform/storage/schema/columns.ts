/** Column definitions shared by many tables. */
import { integer, text } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
export const flag = (initial = false) => integer({ mode: "boolean" }).notNull().default(initial);
export const textColumn = () => text().notNull().default("");
export const count = () => integer().notNull().default(0);
