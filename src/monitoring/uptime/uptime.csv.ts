import type * as v from "valibot";
import { Csv } from "../../platform/http/csv.ts";
import type { uptimeReply } from "./uptime.schemas.ts";

/** An uptime report as CSV. */
export function uptimeCsv({ items }: v.InferOutput<typeof uptimeReply>): Csv {
  return new Csv("uptime.csv", [
    ["id", "name", "active", "uptime percent", "downtime", "events"],
    ...items.map(({ id, name, active, uptime, downtime, events }) => [
      id,
      name,
      active,
      uptime,
      downtime,
      events,
    ]),
  ]);
}
