/** What a backup says about itself, so that a restored copy can be compared with it. */
import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The first entry of an archive, as JSON. */
export const manifestSchema = v.object({
  /** Version of this layout. */
  format: v.literal(1),
  /** Version of Muster that made it. */
  version: v.string(),
  engine: v.picklist(["SQLite", "PostgreSQL"]),
  /** When the copy was made, unix seconds. */
  created: count,
  /** Size of the database in it, bytes. */
  bytes: count,
  /** Number of rows by table. */
  rows: v.record(v.string(), count),
  /** The event with the highest id; null without events. */
  newestEvent: v.nullable(v.object({ id: count, date: v.number() })),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;
