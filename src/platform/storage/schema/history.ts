/** Statistics that services report in every cycle, and their history. */
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
    // Holds all that a ranking of the hosts needs of a statistic.
    index("statistics_by_type").on(t.type, t.id, t.serviceId, t.descriptor),
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

/** All numbers of one message in one row: float64, little endian, in the layout's order. */
export const samples = sqliteTable(
  "samples",
  {
    id: integer().primaryKey(),
    hostId: ownedBy(() => hosts.id),
    // No foreign key: deleting a host's layouts would search all samples for each of them.
    layoutId: integer().notNull(),
    at: integer().notNull(), // time of receipt
    values: blob({ mode: "buffer" }).notNull(),
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

/** Changes of program output, which agents report no event for. Their number is bounded by `excessChangesSweep`. */
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

/** When a percentage reaches 100, as predicted once a day; no row where nothing can be said. */
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
