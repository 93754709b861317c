import * as v from "valibot";
import { MAX_FILTER, tag as tagOfHost } from "../../monitoring/tags/tags.schemas.ts";
import {
  allowing,
  boolean,
  described,
  describedLike,
  emptiable,
  id,
  idOf,
  text,
} from "../../platform/http/validate.ts";

const title = described(text(1, 255), "title of the page");
const groupid = described(id, "id of the host group that the page shows");
const tag = described(
  v.optional(v.pipe(emptiable(tagOfHost), v.maxLength(MAX_FILTER))),
  "only hosts of the group with these tags; a name alone matches every value; those of one name are alternatives, and every name has to match",
);
const slug = described(
  allowing(
    v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/)),
    "1 to 64 lower-case letters, digits and hyphens, with no hyphen first or last",
  ),
  "last part of the page's address",
);
const services = described(boolean, "whether the page shows the services of each host");

export const creation = v.object({
  title,
  groupid,
  tag,
  slug: described(
    v.optional(slug),
    "last part of the page's address; without it, a random one that nobody can guess",
  ),
  services: v.optional(services),
});
export type Creation = v.InferOutput<typeof creation>;

export const update = v.object({
  id: idOf("status page"),
  title: v.optional(title),
  groupid: v.optional(groupid),
  tag,
  slug: v.optional(slug),
  services: v.optional(services),
});
export type Update = v.InferOutput<typeof update>;

const pageReply = v.object({
  id: described(v.number(), "id of the status page"),
  title: describedLike(v.string(), title),
  groupid: describedLike(v.number(), groupid),
  groupname: described(v.string(), "name of that host group"),
  tags: described(v.array(v.string()), "tags of the hosts that it shows; empty: all hosts of the group"),
  slug: describedLike(v.string(), slug),
  path: described(v.string(), "path of the page's address"),
  services: describedLike(v.boolean(), services),
  created: described(v.number(), "when it was created, unix timestamp"),
});

export const listReply = v.object({ records: described(v.array(pageReply), "status pages") });
export const createReply = v.object({
  id: described(v.number(), "id of the new status page"),
  slug: describedLike(v.string(), slug),
});
