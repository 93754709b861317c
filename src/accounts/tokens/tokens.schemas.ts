import * as v from "valibot";
import { allowing, described, nameText, oneOf, unixTimestamp } from "../../platform/http/validate.ts";
import { type ContentOf, resource } from "../../platform/resources/resource.ts";

const lastUse = v.nullable(v.number());

/** An API token of the caller. Its text is only in the reply that creates it. */
export const token = resource("token", {
  order: "by name",
  fields: {
    name: described(nameText(255), "what the token is for, in the user's own words"),
    scope: described(oneOf(["read", "full"]), "read: may only read; full: may do what its user may"),
    expires: described(
      v.optional(allowing(v.nullable(unixTimestamp), "a unix timestamp in seconds, or null for never"), null),
      "when the token expires, unix timestamp; null: never",
    ),
  },
  derived: {
    created: described(v.number(), "when it was created, unix timestamp"),
    lastused: described(lastUse, "when it was last used, unix timestamp; null: not yet"),
  },
});
export type TokenContent = ContentOf<typeof token>;

export const createReply = v.object({
  ...token.created.entries,
  token: described(v.string(), "the token; it is never shown again"),
});
