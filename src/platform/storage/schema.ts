/**
 * Every table of muster.db. Times are unix seconds. `drizzle-kit generate` reads this file; the migrations in
 * drizzle/ are made from it and never edited by hand. Indexes are named after the question they answer.
 */

export * from "./schema/accounts.ts";
export * from "./schema/alerts.ts";
export * from "./schema/events.ts";
export * from "./schema/history.ts";
export * from "./schema/hosts.ts";
export * from "./schema/settings.ts";
