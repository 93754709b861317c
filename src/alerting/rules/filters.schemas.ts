/** Schemas of filters and times of day, shared by rules and maintenance. */
import * as v from "valibot";
import { placeArguments, placeReply } from "../../monitoring/places/places.schemas.ts";
import { few } from "../../platform/http/list-arguments.ts";
import { allowing, described, integer, oneOfNumbers, text } from "../../platform/http/validate.ts";

export const timeOfDay = allowing(
  v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)),
  "a time of day from 00:00 to 23:59",
);

export const dayOfWeek = integer(0, 6, "a day of the week from 0, Sunday, to 6, Saturday");

export const filterArguments = {
  ...placeArguments,
  servicegroup: few(text(1, 255), "only services in service groups with these names"),
  servicetype: few(integer(0, 8), "only services of this type (see service types)"),
  eventtype: described(
    v.optional(integer(0, 0x7fffffff, "a sum of event type codes, or 0 for all")),
    "only events of any of these types (see event types)",
  ),
  state: few(
    oneOfNumbers([0, 1, 2]),
    "only these states: 0 success, 1 error, 2 change; without it, errors and changes",
  ),
  severity: few(
    oneOfNumbers([0, 1, 2]),
    "only 0 what agents report, 1 warnings of limits, 2 what limits call critical; without it, all",
  ),
};

const filterEntries = v.object(filterArguments);
export type FilterArguments = v.InferOutput<typeof filterEntries>;

const numbers = v.optional(v.array(v.number()));
const strings = v.optional(v.array(v.string()));

export const eventFilterReply = v.object({
  ...placeReply,
  servicegroups: described(strings, "names of service groups"),
  servicetypes: described(numbers, "codes of service types"),
  eventtypes: described(v.optional(v.number()), "sum of event type codes"),
  states: described(numbers, "0 success, 1 error, 2 change; without it, errors and changes"),
  severities: described(numbers, "0 what agents report, 1 warning and 2 critical of limits; without it, all"),
});
