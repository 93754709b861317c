/** Statistics that services report in every cycle, and their history. */
import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { id, ownedBy, textColumn } from "./columns.ts";
import { hosts, services } from "./hosts.ts";

/** Ids of statistics in one range of the index `statistics_by_type`. */
export const STATISTICS_RANGE = 1024;

/** A statistic of a service: a number or a text. Numbers are stored in samples. */
export const statistics = sqliteTable(
  "statistics",
  {
    id: id(),
    serviceId: ownedBy(() => services.id),
    type: integer().notNull(),
    descriptor: textColumn(),
    text: text(), // latest value of a text statistic
  },
  (t) => [
    uniqueIndex("statistics_by_service").on(t.serviceId, t.type, t.descriptor),
    // Contains all columns of a statistic that a ranking of hosts needs. A new host has statistics of dozens of types: within
    // a range of ids they are in the same few pages.
    index("statistics_by_type").on(
      sql`${t.id} / ${sql.raw(String(STATISTICS_RANGE))}`,
      t.type,
      t.id,
      t.serviceId,
      t.descriptor,
    ),
  ],
);

/** The statistics of a sample's values, in order: a list of statistic ids (uint32, little endian). */
export const sampleLayouts = sqliteTable(
  "sample_layouts",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    statisticIds: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("sample_layouts_by_host").on(t.hostId)],
);

/** All numbers of one message in one row, in the layout's order, as history/sample-values.ts writes them. */
export const samples = sqliteTable(
  "samples",
  {
    id: integer().primaryKey(),
    hostId: ownedBy(() => hosts.id),
    // No foreign key: deleting a host's layouts would search all samples for each of them.
    layoutId: integer().notNull(),
    at: integer().notNull(), // time of receipt
    values: blob({ mode: "buffer" }).$type<Uint8Array>().notNull(),
  },
  (t) => [index("samples_by_host_and_time").on(t.hostId, t.at)],
);

/** Samples of a completed span, packed (see history/block.ts): raw, or aggregated per `resolution`. */
export const historyBlocks = sqliteTable(
  "history_blocks",
  {
    hostId: ownedBy(() => hosts.id),
    resolution: integer().notNull(), // seconds; 0 = raw samples
    start: integer().notNull(), // start of the span
    payload: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.hostId, t.resolution, t.start] }),
    index("history_blocks_by_age").on(t.resolution, t.start, t.hostId),
  ],
);

/** Changes of program output, for which agents report no event. Their number is bounded by `excessChangesSweep`. */
export const outputChanges = sqliteTable(
  "output_changes",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    serviceId: ownedBy(() => services.id),
    date: integer().notNull(), // of the check that found it, by the clock of the server
    before: text().notNull(), // an excerpt of what differs
    after: text().notNull(),
  },
  (t) => [
    index("output_changes_by_host").on(t.hostId, t.date),
    index("output_changes_by_service").on(t.serviceId, t.date),
    index("output_changes_by_date").on(t.date),
  ],
);

/** When a percentage reaches 100, as predicted once a day; no row without a forecast. */
export const forecasts = sqliteTable(
  "forecasts",
  {
    statisticId: integer()
      .primaryKey()
      .references(() => statistics.id, { onDelete: "cascade" }),
    hostId: ownedBy(() => hosts.id),
    calculatedAt: integer().notNull(),
    usage: real().notNull(), // percent, mean of the last hour with values
    growth: real().notNull(), // percentage points per day
    fullAt: integer().notNull(),
    earliest: integer().notNull(), // of the interval for fullAt
    latest: integer(), // null: it has no end
  },
  (t) => [index("forecasts_by_date").on(t.fullAt, t.statisticId), index("forecasts_by_host").on(t.hostId)],
);
