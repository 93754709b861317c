/** Maps between ids and names, which existing clients read instead of hard-coding them. */
import * as v from "valibot";
import { type Operation, query } from "../../platform/http/operation.ts";
import type { MapQueries } from "./maps.queries.ts";
import { BRANCH_NAMES } from "./maps.ts";

const mapReply = v.object({
  map: v.record(
    v.picklist(["id", "name"]),
    v.record(v.string(), v.record(v.string(), v.union([v.number(), v.string()]))),
  ),
});

/** `/map/id/<branch>` and `/map/name/<branch>`. */
export function mapOperations(queries: MapQueries): Operation[] {
  return BRANCH_NAMES.flatMap((branch) => [
    query(`/map/id/${branch}`, {
      access: "session",
      summary: `Names of each ${branch} by id`,
      response: mapReply,
      handle: () => queries.map("id", branch),
    }),
    query(`/map/name/${branch}`, {
      access: "session",
      summary: `Ids of each ${branch} by name`,
      response: mapReply,
      handle: () => queries.map("name", branch),
    }),
  ]);
}
