/** Limits with which Muster compares statistics, and which of them are exceeded. */
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { count, flag, id, jsonColumn, ownedBy, refersTo, textColumn } from "./columns.ts";
import { hosts, names } from "./hosts.ts";

/** What happens when the value of a limit is no longer reported. */
export const MISSING_DATA = ["keep", "clear", "warn"] as const;

/** What is compared: each value as it is reported, or by how much counters have grown in the calendar month. */
export const LIMIT_PERIODS = ["message", "month"] as const;

/**
 * Columns have the names of the resource's fields (monitoring/limits/limits.schemas.ts), where they are described.
 */
export const limits = sqliteTable("limits", {
  id: id(),
  name: text().notNull().unique(),
  enabled: flag(true),
  statistics: jsonColumn(),
  descriptor: textColumn(),
  perprocessor: flag(),
  filter: jsonColumn(),
  direction: text({ enum: ["above", "below"] })
    .notNull()
    .default("above"),
  warning: real(),
  critical: real(),
  period: text({ enum: LIMIT_PERIODS }).notNull().default("message"),
  timezone: text().notNull().default("UTC"), // of the calendar month
  minutes: count(),
  clearvalue: real(),
  clearminutes: count(),
  missing: text({ enum: MISSING_DATA }).notNull().default("keep"),
  downtime: flag(),
  note: textColumn(),
  runbook: textColumn(),
  deleted: flag(), // by an administrator: it is removed when all its failures have ended
});

/** States of limits that are exceeded now, or were by the last values. A limit clearly within its bounds has no row. */
export const limitStates = sqliteTable(
  "limit_states",
  {
    limitId: ownedBy(() => limits.id),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    level: count(), // of the open failure: 0 none, 1 warning, 2 critical
    warningSince: integer(), // since when every value has exceeded that of the level
    criticalSince: integer(),
    clearSince: integer(), // since when every value has been back
    easedSince: integer(), // since when no value has been critical, while the failure is
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

/**
 * Sums of the month, as of a message: what was counted later follows from the samples. They are stored every few minutes,
 * rather than with each message.
 */
export const limitSums = sqliteTable(
  "limit_sums",
  {
    limitId: ownedBy(() => limits.id),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    monthFrom: integer().notNull(), // when the month began
    countedFrom: integer().notNull(),
    sum: real().notNull(),
    at: integer().notNull(), // when the message was received
    counters: jsonColumn().$type<StoredCounter[]>(),
  },
  (t) => [
    primaryKey({ columns: [t.limitId, t.hostId, t.nameId] }),
    index("limit_sums_by_host").on(t.hostId),
    index("limit_sums_by_name").on(t.nameId),
  ],
);

/** The id of a counter's statistic, its last value, and when that was received; null and 0 before the first one. */
export type StoredCounter = readonly [statisticId: number, value: number | null, at: number];

export type LimitStateRow = typeof limitStates.$inferSelect;
