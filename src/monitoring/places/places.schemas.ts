/** Filters by host and service, as resources and their previews take and return them. */
import * as v from "valibot";
import { few } from "../../platform/http/list-arguments.ts";
import { described, emptiable, id, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { MAX_FILTER, tag } from "../tags/tags.schemas.ts";

/** Most hosts, groups or names in one filter. Every event or value is compared with all of them. */
const MAX_ITEMS = 1000;

/** A condition of a filter: a list of which one item has to match. Without it, anything matches. */
export function condition<const T extends v.GenericSchema>(item: T, meaning: string, most = MAX_ITEMS) {
  const list = v.pipe(v.array(item), v.minLength(1), v.maxLength(most));
  return described(v.exactOptional(v.pipe(list, v.transform(unique))), meaning);
}

function unique<T>(items: T[]): T[] {
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
  servicenames: condition(text(1, 255), "only services with these names, in which * stands for any text"),
};

/** The same as arguments of a form. */
export const placeArguments = {
  hostid: few(id, "only these hosts"),
  hostgroupid: few(id, "only members of these host groups"),
  tag: described(
    v.optional(v.pipe(emptiable(tag), v.maxLength(MAX_FILTER))),
    "only hosts with these tags; a name alone matches every value; those of one name are alternatives, and every name has to match",
  ),
  servicename: few(text(1, 255), "only services with these names, in which * stands for any text"),
};

const placeEntries = v.object(placeArguments);
export type PlaceArguments = v.InferOutput<typeof placeEntries>;

const numbers = v.optional(v.array(v.number()));
const strings = v.optional(v.array(v.string()));

export const placeReply = {
  hosts: described(numbers, "ids of hosts; ids of deleted hosts match nothing"),
  hostgroups: described(numbers, "ids of host groups; ids of deleted groups match nothing"),
  tags: described(strings, "tags of hosts: those of one name are alternatives, and every name has to match"),
  servicenames: described(strings, "names of services, in which * stands for any text"),
};

export const placeFilterReply = v.object(placeReply);
