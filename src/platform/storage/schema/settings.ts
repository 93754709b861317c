import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Settings that were set, by name. The values of secret ones are sealed. */
export const settings = sqliteTable("settings", { key: text().primaryKey(), value: text().notNull() });
