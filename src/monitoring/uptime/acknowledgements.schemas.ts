import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";

/** Who acknowledged a failure. */
export const acknowledgementReply = described(
  v.nullable(
    v.object({
      uname: described(v.string(), "login name of the user who acknowledged it"),
      date: described(v.number(), "when, unix timestamp"),
      until: described(v.nullable(v.number()), "when it ends, unix timestamp; null: when the failure ends"),
      note: described(v.string(), "the user's note; empty without one"),
    }),
  ),
  "who acknowledged the failure; null: nobody",
);
