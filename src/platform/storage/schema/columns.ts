/** Columns of which many tables have one. */
import { integer, text } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
export const flag = (initial = false) => integer({ mode: "boolean" }).notNull().default(initial);
export const words = () => text().notNull().default("");
export const count = () => integer().notNull().default(0);
