/**
 * Every table of muster.db. Times are unix seconds. Indexes are named after the query they serve.
 * `drizzle-kit generate` derives the migrations in drizzle/ from this file; do not edit those by hand. What
 * Drizzle cannot express, such as WITHOUT ROWID, is in drizzle/0001_hand_written.sql.
 */

export * from "./schema/accounts.ts";
export * from "./schema/actions.ts";
export * from "./schema/agent-keys.ts";
export * from "./schema/alerts.ts";
export * from "./schema/backups.ts";
export * from "./schema/events.ts";
export * from "./schema/expected-hosts.ts";
export * from "./schema/health.ts";
export * from "./schema/history.ts";
export * from "./schema/hosts.ts";
export * from "./schema/limits.ts";
export * from "./schema/moment.ts";
export * from "./schema/rehearsals.ts";
export * from "./schema/reports.ts";
export * from "./schema/settings.ts";
