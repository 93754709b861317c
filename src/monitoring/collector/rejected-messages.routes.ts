import { type Operation, read } from "../../platform/http/operation.ts";
import { nothing } from "../../platform/http/validate.ts";
import { refusalListReply } from "./rejected-messages.schemas.ts";
import type { Refusals } from "./rejected-messages.ts";

export function refusalOperations(refusals: Refusals): Operation[] {
  return [
    read("/admin/refusals/list", {
      access: "admin",
      summary: "Agents' posts that were refused since the start, grouped by address and reason",
      request: nothing,
      response: refusalListReply,
      handle: () => {
        const records = refusals.list();
        return { totalRecords: records.length, records };
      },
    }),
  ];
}
