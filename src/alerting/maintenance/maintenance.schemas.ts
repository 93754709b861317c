import * as v from "valibot";
import { placeConditions } from "../../monitoring/places/places.schemas.ts";
import {
  allowing,
  boolean,
  described,
  integer,
  nameText,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { resource } from "../../platform/resources/resource.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { dayOfWeek, timeOfDay } from "../rules/times.schemas.ts";

const MAX_MINUTES = 10_080; // a week

export const daysOfWeek = allowing(
  v.pipe(v.array(dayOfWeek), v.minLength(1), v.maxLength(7)),
  "a list of days of the week from 0, Sunday, to 6, Saturday",
);

const schedule = v.variant("kind", [
  v.strictObject({
    kind: described(v.literal("once"), "a single window"),
    from: described(unixTimestamp, "when it begins, unix timestamp"),
    to: described(unixTimestamp, "when it ends, unix timestamp"),
  }),
  v.strictObject({
    kind: described(v.literal("weekly"), "a window that recurs every week"),
    days: described(daysOfWeek, "days of the week on which it begins: 0 Sunday to 6 Saturday"),
    from: described(timeOfDay, "time of day at which it begins"),
    minutes: described(
      integer(1, MAX_MINUTES, `a number of minutes from 1 to ${MAX_MINUTES}`),
      "how long it lasts",
    ),
    timezone: described(v.optional(timeZone), "time zone of from; without it, the one in the settings"),
  }),
]);

/** Planned maintenance. Its windows pause notifications. */
export const maintenance = resource("maintenance window", {
  order: "by name",
  fields: {
    name: described(nameText(255), "name of the maintenance"),
    enabled: described(v.optional(boolean, true), "whether the maintenance is enabled"),
    // No default: an omitted filter must not mean everything.
    filter: described(
      v.strictObject(placeConditions),
      "conditions, all of which a host or service has to meet; {} for everything",
    ),
    schedule: described(schedule, "when it takes place: once or weekly"),
  },
  derived: {
    active: described(v.boolean(), "whether a window is open now"),
    until: described(v.nullable(v.number()), "when the open window ends, unix timestamp; null: none is open"),
    next: described(v.nullable(v.number()), "when the next window begins, unix timestamp; null: never"),
  },
});
