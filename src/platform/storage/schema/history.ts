/** What services report every cycle. */
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { id, words } from "./columns.ts";
import { hosts, services } from "./hosts.ts";

/** A number (or text) that a service reports every cycle. Its values live in samples. */
export const statistics = sqliteTable(
  "statistics",
  {
    id: id(),
    serviceId: integer()
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    type: integer().notNull(),
    descriptor: words(),
    text: text(), // latest text of statistics that are no number
  },
  (t) => [uniqueIndex("statistics_by_service").on(t.serviceId, t.type, t.descriptor)],
);

/** Which statistics, in which order, the values of a sample belong to: a list of statistic ids (uint32, little endian). */
export const sampleLayouts = sqliteTable(
  "sample_layouts",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    statisticIds: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("sample_layouts_by_host").on(t.hostId)],
);

/** All numbers of one message in one row: float64, little endian, in the order of the layout. */
export const samples = sqliteTable(
  "samples",
  {
    id: integer().primaryKey(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    // No foreign key: deleting a host's layouts would look for each of them in all samples.
    layoutId: integer().notNull(),
    at: integer().notNull(), // receipt
    values: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("samples_by_host_and_time").on(t.hostId, t.at)],
);

/** Samples of a finished span, packed (see history/block.ts): as measured, or summed up per period of `resolution`. */
export const historyBlocks = sqliteTable(
  "history_blocks",
  {
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    resolution: integer().notNull(), // seconds; 0 = as measured
    start: integer().notNull(), // of the span
    payload: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.hostId, t.resolution, t.start] }),
    index("history_blocks_by_age").on(t.resolution, t.start, t.hostId),
  ],
);
