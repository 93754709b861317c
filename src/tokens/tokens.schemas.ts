import * as v from "valibot";
import { oneOf, text, unixTimestamp } from "../http/validate.ts";

export const createArguments = v.object({
  name: text(1, 255),
  scope: oneOf(["read", "full"]),
  expires: v.optional(unixTimestamp),
});
export type TokenCreation = v.InferOutput<typeof createArguments>;

export const createReply = v.object({ id: v.number(), token: v.string() });

export const listReply = v.object({
  totalRecords: v.number(),
  records: v.array(
    v.object({
      id: v.number(),
      name: v.string(),
      scope: v.picklist(["read", "full"]),
      created: v.number(),
      expires: v.nullable(v.number()),
      lastused: v.nullable(v.number()),
    }),
  ),
});
