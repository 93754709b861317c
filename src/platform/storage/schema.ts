/**
 * Every table of muster.db. Times are unix seconds. Indexes are named after the question they answer. `drizzle-kit generate`
 * reads this file and makes the migrations in drizzle/ from it, which are not edited by hand. What Drizzle cannot say, as
 * WITHOUT ROWID, stands in drizzle/0001_hand_written.sql.
 */

export * from "./schema/accounts.ts";
export * from "./schema/alerts.ts";
export * from "./schema/events.ts";
export * from "./schema/history.ts";
export * from "./schema/hosts.ts";
export * from "./schema/settings.ts";
