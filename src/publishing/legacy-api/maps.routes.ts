/** Maps between ids and names, which existing clients read instead of hard-coding them. */

import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import { BRANCH_NAMES, type MapQueries } from "./maps.queries.ts";

const mapReply = v.object({
  map: v.record(
    v.picklist(["id", "name"]),
    v.record(v.string(), v.record(v.string(), v.union([v.number(), v.string()]))),
  ),
});

/** `/map/id/<branch>` and `/map/name/<branch>`. */
export function mapOperations(queries: MapQueries): Operation[] {
  return BRANCH_NAMES.flatMap((branch) =>
    (["id", "name"] as const).map((by) =>
      query(`/map/${by}/${branch}`, {
        access: "session",
        summary: by === "id" ? `Names of each ${branch} by id` : `Ids of each ${branch} by name`,
        response: mapReply,
        handle: (_args, c) => queries.map(turnOf(c), by, branch, scopeOf(c)),
      }),
    ),
  );
}
