import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { mapOf } from "./maps.ts";

/** The query behind the maps of the legacy API, for the query worker. */
export function mapQueries(db: Db) {
  return { map: (by: "id" | "name", branch: string) => mapOf(db, by, branch) };
}

export type MapQueries = AsyncQueries<ReturnType<typeof mapQueries>>;
