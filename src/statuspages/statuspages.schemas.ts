import * as v from "valibot";
import { allowing, boolean, id, text } from "../http/validate.ts";

/** Last part of a page's address. */
const slug = allowing(
  v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/)),
  "1 to 64 lower-case letters, digits and hyphens, with no hyphen first or last",
);

export const creation = v.object({
  title: text(1, 255),
  groupid: id,
  slug: v.optional(slug),
  services: v.optional(boolean),
});
export type Creation = v.InferOutput<typeof creation>;

export const update = v.object({
  id,
  title: v.optional(text(1, 255)),
  groupid: v.optional(id),
  slug: v.optional(slug),
  services: v.optional(boolean),
});
export type Update = v.InferOutput<typeof update>;

export const pageReply = v.object({
  id: v.number(),
  title: v.string(),
  groupid: v.number(),
  groupname: v.string(),
  slug: v.string(),
  path: v.string(),
  services: v.boolean(),
  created: v.number(),
});

export const listReply = v.object({ records: v.array(pageReply) });
