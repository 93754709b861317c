/** Limits that Muster itself holds statistics to, and which of them are passed. */
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { count, flag, id, ownedBy, refersTo, textColumn } from "./columns.ts";
import { hosts, names } from "./hosts.ts";

/** What happens when the value of a limit is no longer reported. */
export const MISSING_DATA = ["keep", "clear", "warn"] as const;

export const limits = sqliteTable("limits", {
  id: id(),
  name: text().notNull().unique(),
  enabled: flag(true),
  statistics: text().notNull(), // JSON: codes of statistic types, whose values are added
  descriptor: textColumn(), // only statistics with this descriptor, "" = any
  perProcessor: flag(), // the value is divided by the number of processors of the host
  filter: text().notNull().default("{}"), // JSON: which hosts and services (limits/limit-filter.ts)
  below: flag(), // warns below its values rather than above them
  warning: real(), // null = none
  critical: real(), // null = none
  hold: count(), // seconds for which a value has to be passed
  clearValue: real(), // null = the value that was passed
  clearAfter: count(), // seconds for which the value has to be back
  missing: text({ enum: MISSING_DATA }).notNull().default("keep"),
  downtime: flag(), // whether its failures count as downtime
  note: textColumn(),
  runbook: textColumn(), // URL
  deleted: flag(), // by an administrator: it goes when all its failures have ended
});

/** Limits that are passed, or were by the last values. A limit that is kept without question has no row. */
export const limitStates = sqliteTable(
  "limit_states",
  {
    limitId: ownedBy(() => limits.id),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    level: count(), // of the open failure: 0 none, 1 warning, 2 critical
    warningSince: integer(), // since when every value passed that of the level
    criticalSince: integer(),
    clearSince: integer(), // since when every value was back
    easedSince: integer(), // since when no value was critical, while the failure is
    valueAt: integer(), // while the value is missing: when it was last there
    missing: flag(), // it has been missing for so long that it counts as missing
    noData: flag(), // the failure is that there is no value
    serviceType: integer().notNull(),
    openedAt: count(), // when the open failure began, 0 = none is open
    errorAt: count(), // date of the newest error event
  },
  (t) => [
    primaryKey({ columns: [t.limitId, t.hostId, t.nameId] }),
    index("limit_states_by_host").on(t.hostId),
    index("limit_states_by_name").on(t.nameId),
  ],
);

export type LimitRow = typeof limits.$inferSelect;
export type LimitStateRow = typeof limitStates.$inferSelect;
