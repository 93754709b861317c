import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import { mapOf } from "./maps.ts";

/** The maps of names and ids of the legacy API. */
export function mapQueries(db: Db) {
  return { map: (by: "id" | "name", branch: string) => mapOf(db, by, branch) };
}

export type MapQueries = AsyncQueries<ReturnType<typeof mapQueries>>;
