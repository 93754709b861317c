import { type Operation, read } from "../../platform/http/operation.ts";
import { rejectedMessageListReply } from "./rejected-messages.schemas.ts";
import type { RejectedMessages } from "./rejected-messages.ts";

/** The operation that lists rejected messages, to administrators only: a message belongs to no host yet. */
export function rejectedMessageOperations(rejectedMessages: RejectedMessages): Operation[] {
  return [
    read("/admin/refusals/list", {
      access: "admin",
      summary: "Messages of agents rejected since Muster started, grouped by address and reason",
      response: rejectedMessageListReply,
      handle: () => {
        const records = rejectedMessages.list();
        return { totalRecords: records.length, records };
      },
    }),
  ];
}
