/** Filters by host and service, as resources and their previews accept and return them. */
import * as v from "valibot";
import { allowedValue, allowing, described, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { MAX_FILTER, tag } from "../tags/tags.schemas.ts";

/** The most hosts, groups or names in one filter. Every event or value is compared with all of them. */
const MAX_ITEMS = 1000;

/** A condition of a filter: a list, at least one item of which must match. Without it, anything matches. */
export function condition<const T extends v.GenericSchema>(item: T, meaning: string, maxItems = MAX_ITEMS) {
  const list = v.pipe(v.array(item), v.minLength(1), v.maxLength(maxItems));
  const ofItem = allowedValue(item);
  const allowed = `a list of 1 to ${maxItems}, each ${ofItem ?? "an object"}; leave it out for all`;
  return described(v.exactOptional(allowing(v.pipe(list, v.transform(unique)), allowed)), meaning);
}

/** The items without duplicates, in their order. */
export function unique<T>(items: T[]): T[] {
  return [...new Set(items)];
}

/** Ids of deleted objects match nothing. */
export const placeConditions = {
  hosts: condition(reference("host"), "only these hosts"),
  hostgroups: condition(reference("hostgroup"), "only members of these host groups"),
  tags: condition(
    tag,
    "only hosts with these tags; a name alone matches every value; those of one name are alternatives, and every name has to match",
    MAX_FILTER,
  ),
  servicenames: condition(
    text(1, 255),
    "only services with these names; * stands for any text, \\* for a star",
  ),
};

/** The hosts and services that a filter selects. */
export const placeFilter = v.strictObject(placeConditions);
