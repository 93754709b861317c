import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, oneOf, text, unixTimestamp } from "../../platform/http/validate.ts";

export const createArguments = v.object({
  name: described(text(1, 255), "what the token is for, in the user's own words"),
  scope: described(oneOf(["read", "full"]), "read: may only read; full: may do what its user may"),
  expires: described(v.optional(unixTimestamp), "when the token expires; without it, never"),
});
export type TokenCreation = v.InferOutput<typeof createArguments>;

export const createReply = v.object({
  id: described(v.number(), "id of the token"),
  token: described(v.string(), "the token; it is never shown again"),
});

export const listReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(v.number(), "id of the token"),
        name: described(v.string(), "what the token is for"),
        scope: described(v.picklist(["read", "full"]), "what the token may do"),
        created: described(v.number(), "when it was created, unix timestamp"),
        expires: described(v.nullable(v.number()), "when it expires, unix timestamp; null: never"),
        lastused: described(v.nullable(v.number()), "when it was last used, unix timestamp; null: not yet"),
      }),
    ),
    "the caller's tokens",
  ),
});
