import * as v from "valibot";
import { type Operation, read } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import type { Refusals } from "./refusals.ts";

export function refusalOperations(refusals: Refusals): Operation[] {
  return [
    read("/admin/refusals/list", {
      access: "admin",
      summary: "Agents' posts that were refused since the start, grouped by address and reason",
      takes: nothing,
      gives: v.object({
        totalRecords: v.number(),
        records: v.array(
          v.object({
            address: v.string(),
            reason: v.string(),
            count: v.number(),
            first: v.number(),
            last: v.number(),
          }),
        ),
      }),
      handle: () => {
        const records = refusals.list();
        return { totalRecords: records.length, records };
      },
    }),
  ];
}
