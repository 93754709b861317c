/** Filters and times of day, as arguments and replies of rules and of maintenance. */
import * as v from "valibot";
import { allowing, emptiable, id, integer, oneOfNumbers, text } from "../http/validate.ts";

/** Most hosts, groups or names in one filter: each event is held against all of them. */
const MAX_ITEMS = 1000;

function few<T extends v.GenericSchema>(item: T) {
  return v.optional(v.pipe(emptiable(item), v.maxLength(MAX_ITEMS)));
}

export const timeOfDay = allowing(
  v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)),
  "a time of day from 00:00 to 23:59",
);

export const dayOfWeek = integer(0, 6, "a day of the week from 0, Sunday, to 6, Saturday");

export const placeArguments = {
  hostid: few(id),
  hostgroupid: few(id),
  servicename: few(text(1, 255)),
};

export const filterArguments = {
  ...placeArguments,
  servicegroup: few(text(1, 255)),
  servicetype: few(integer(0, 8)),
  eventtype: v.optional(integer(0, 0x7fffffff, "a sum of event type codes, or 0 for all")),
  state: few(oneOfNumbers([0, 1, 2])),
};

const placeEntries = v.object(placeArguments);
export type PlaceArguments = v.InferOutput<typeof placeEntries>;
const filterEntries = v.object(filterArguments);
export type FilterArguments = v.InferOutput<typeof filterEntries>;

const numbers = v.optional(v.array(v.number()));
const strings = v.optional(v.array(v.string()));

const placeReply = { hostids: numbers, hostgroupids: numbers, servicenames: strings };

export const placeFilterReply = v.object(placeReply);
export const eventFilterReply = v.object({
  ...placeReply,
  servicegroups: strings,
  servicetypes: numbers,
  eventtypes: v.optional(v.number()),
  states: numbers,
});
