import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { allowing, described, emptiable, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { isTag, MAX_NAME, MAX_TAGS, MAX_VALUE, normalisedTag } from "./tag.ts";

/** The most tags in one filter. Each name in it is a condition of the query. */
export const MAX_FILTER = 20;

/** The most hosts whose tags are changed at once. */
const MAX_CHANGED = 10_000;

/** A tag in any case, which is normalised to the stored form. */
export const tag = allowing(
  v.pipe(v.string(), v.maxLength(MAX_NAME + MAX_VALUE + 1), v.transform(normalisedTag), v.check(isTag)),
  `a tag: NAME or NAME=VALUE, of letters, digits and _ - . / : @ +, a name of at most ${MAX_NAME} and a value of at most ${MAX_VALUE} characters`,
);

const tags = allowing(v.pipe(v.array(tag), v.minLength(1), v.maxLength(MAX_TAGS)), `1 to ${MAX_TAGS} tags`);

/** Filter by tags. @param noun what is selected, as "events of hosts" */
export function tagFilter(noun: string) {
  return described(
    v.optional(v.pipe(v.array(tag), v.minLength(1), v.maxLength(MAX_FILTER))),
    `only ${noun} with this tag; a name without a value matches any value; tags of one name are alternatives, and every name has to match`,
  );
}

/** All tags of a host. An empty text removes them. */
export const tagsOfHost = described(
  v.optional(v.pipe(emptiable(tag), v.maxLength(MAX_TAGS))),
  "tag of the host; replaces all its tags",
);

export const tagsReply = described(v.array(v.string()), "tags of the host, in order: NAME or NAME=VALUE");

/** Tags to add to hosts or remove from them. */
export const tagChange = v.strictObject({
  tags: described(tags, "the tags"),
  hosts: described(
    v.pipe(v.array(reference("host")), v.minLength(1), v.maxLength(MAX_CHANGED)),
    "ids of the hosts",
  ),
});
export type TagChange = v.InferOutput<typeof tagChange>;

export const tagListArguments = v.object({
  pattern: described(v.optional(text(0, 255)), "only tags that contain this, regardless of case"),
});

/** The most tags in the list; a filter finds the rest. */
export const MAX_LISTED = 1000;

export const tagCount = v.object({
  tag: described(v.string(), "NAME or NAME=VALUE"),
  hosts: described(v.number(), "number of hosts that have it"),
});

export const tagListReply = v.object({
  totalRecords,
  records: described(v.array(tagCount), `the first ${MAX_LISTED} tags, in order`),
});
