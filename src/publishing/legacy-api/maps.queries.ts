import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { mapOf } from "./maps.ts";

/** The maps of names and ids of the legacy API. */
export function mapQueries(db: Db) {
  return { map: (by: "id" | "name", branch: string) => mapOf(db, by, branch) };
}

export type MapQueries = AsyncQueries<ReturnType<typeof mapQueries>>;
