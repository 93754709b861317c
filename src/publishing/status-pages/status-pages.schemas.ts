import * as v from "valibot";
import { MAX_FILTER, tag } from "../../monitoring/tags/tags.schemas.ts";
import { allowing, boolean, described, nameText } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";

const slug = allowing(
  v.nullable(v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/))),
  "1 to 64 lower-case letters, digits and hyphens, with no hyphen first or last, or null",
);

/** A public page about hosts of one group. */
export const statusPage = resource("status page", {
  key: "slug",
  order: "by title",
  fields: {
    slug: described(
      v.optional(slug, null),
      "last part of the page's address; null: a random one that nobody can guess",
    ),
    title: described(nameText(255), "title of the page"),
    hostgroup: described(reference("hostgroup"), "host group that the page shows"),
    tags: described(
      v.optional(v.pipe(v.array(tag), v.maxLength(MAX_FILTER)), []),
      "only hosts of the group with these tags; a name alone matches every value; those of one name are alternatives, and every name has to match; empty: all hosts of the group",
    ),
    services: described(v.optional(boolean, true), "whether the page shows the services of each host"),
  },
  derived: {
    manage: described(v.boolean(), "whether the caller may change it"),
    path: described(v.string(), "path of the page's address"),
    groupname: described(v.string(), "name of the host group"),
    created: described(v.number(), "when it was created, unix timestamp"),
  },
});
