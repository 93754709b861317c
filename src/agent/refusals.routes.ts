import * as v from "valibot";
import { type Operation, read } from "../http/operation.ts";
import { totalRecords } from "../http/paging.ts";
import { described, nothing } from "../http/validate.ts";
import type { Refusals } from "./refusals.ts";

export function refusalOperations(refusals: Refusals): Operation[] {
  return [
    read("/admin/refusals/list", {
      access: "admin",
      summary: "Agents' posts that were refused since the start, grouped by address and reason",
      takes: nothing,
      gives: v.object({
        totalRecords,
        records: described(
          v.array(
            v.object({
              address: described(v.string(), "address of the client"),
              reason: described(v.string(), "why they were refused"),
              count: described(v.number(), "number of messages"),
              first: described(v.number(), "when it first happened, unix timestamp"),
              last: described(v.number(), "when it last happened, unix timestamp"),
            }),
          ),
          "addresses and reasons",
        ),
      }),
      handle: () => {
        const records = refusals.list();
        return { totalRecords: records.length, records };
      },
    }),
  ];
}
