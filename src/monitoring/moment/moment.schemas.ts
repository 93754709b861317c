import * as v from "valibot";
import { described, unixTimestamp } from "../../platform/http/validate.ts";

/**
 * Groups of fields that nothing recorded at a moment, so that replies about it leave them empty or as first recorded.
 */
export const UNKNOWN_FIELDS = [
  "names",
  "groups",
  "tags",
  "settings",
  "platform",
  "monitoring",
  "dismissals",
  "limits",
  "rules",
  "maintenance",
  "oncall",
  "outputs",
  "servicegroups",
  "suppressed",
  "values",
] as const;
export type UnknownFields = (typeof UNKNOWN_FIELDS)[number];

/** How fine the stored values of a moment are: each message, means of five minutes, or means of an hour. */
export const MOMENT_VALUES = ["message", "minutes", "hour"] as const;

export const momentArguments = v.object({
  at: described(v.optional(unixTimestamp), "the moment; without it, now"),
});

export const momentReply = v.object({
  at: described(v.number(), "the moment, unix timestamp"),
  values: described(
    v.picklist(MOMENT_VALUES),
    "how fine the values of the moment are: those of each message, means of five minutes (minutes), or means of an hour (hour)",
  ),
  known: described(v.number(), "the earliest moment that is known, unix timestamp"),
  recorded: described(
    v.number(),
    "since when changes of names, groups, tags, settings and the like are recorded, unix timestamp",
  ),
  unknown: described(
    v.array(v.picklist(UNKNOWN_FIELDS)),
    "groups of fields that are not known about the moment: replies about it leave them out, empty or as first recorded",
  ),
});
