/** Where another thread opens the database for reading, beside the one that writes. */
import { type Db, openReadOnly } from "./open.ts";
import { openPostgres, startPostgresDriver } from "./open-postgres.ts";
import type { PostgresOptions } from "./postgres/options.ts";

/** How long a query may take before the server counts as away, milliseconds. */
const QUERY_LIMIT_MS = 30_000;

export type ReadPlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "server"; readonly options: PostgresOptions };

/**
 * Opens a connection for transactions that only read.
 * @param limitMs how long a statement may take before a server counts as away, milliseconds
 */
export function openForReading(place: ReadPlace, limitMs = QUERY_LIMIT_MS): Db {
  return place.kind === "file"
    ? openReadOnly(place.path)
    : openPostgres(startPostgresDriver(), { ...place.options, mayPause: true }, limitMs);
}
