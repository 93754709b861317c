import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described } from "../../platform/http/validate.ts";

export const rejectedMessageListReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        address: described(v.string(), "address of the client"),
        reason: described(v.string(), "why they were rejected"),
        count: described(v.number(), "number of messages"),
        first: described(v.number(), "when it first happened, unix timestamp"),
        last: described(v.number(), "when it last happened, unix timestamp"),
      }),
    ),
    "addresses and reasons",
  ),
});
