import * as v from "valibot";
import { placeArguments, placeFilterReply } from "../../monitoring/places/places.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  boolean,
  described,
  emptiable,
  idOf,
  integer,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { dayOfWeek, timeOfDay } from "../rules/filters.schemas.ts";

const MAX_MINUTES = 10_080; // a week

export const scheduleArguments = {
  from: described(v.optional(unixTimestamp), "when a single window begins"),
  to: described(v.optional(unixTimestamp), "when a single window ends"),
  days: described(
    v.optional(emptiable(dayOfWeek)),
    "day of the week on which a window begins, if it recurs weekly",
  ),
  timeofday: described(v.optional(timeOfDay), "when it begins on these days"),
  minutes: described(
    v.optional(integer(1, MAX_MINUTES, `a number of minutes from 1 to ${MAX_MINUTES}`)),
    "how long it lasts then",
  ),
  timezone: described(v.optional(timeZone), "time zone of timeofday; without it, the one in the settings"),
};

const ENABLED = "whether the maintenance is enabled";

const contentArguments = {
  enabled: described(v.optional(boolean), ENABLED),
  ...placeArguments,
  everything: described(
    v.optional(boolean),
    "true: it applies to all hosts and services; required where none are named",
  ),
  ...scheduleArguments,
};
const name = described(text(1, 255), "name of the maintenance");

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({
  id: idOf("maintenance"),
  name: v.optional(name),
  ...contentArguments,
});

const scheduleEntries = v.object(scheduleArguments);
export type ScheduleArguments = v.InferOutput<typeof scheduleEntries>;
export type MaintenanceCreation = v.InferOutput<typeof createArguments>;
export type MaintenanceUpdate = v.InferOutput<typeof updateArguments>;

const number = v.number();
const string = v.string();

const scheduleReply = v.variant("kind", [
  v.object({
    kind: described(v.literal("once"), "a single window"),
    from: described(number, "when it begins, unix timestamp"),
    to: described(number, "when it ends, unix timestamp"),
  }),
  v.object({
    kind: described(v.literal("weekly"), "a window that recurs every week"),
    days: described(v.array(number), "days of the week on which it begins: 0 Sunday to 6 Saturday"),
    from: described(string, "time of day at which it begins"),
    minutes: described(number, "how long it lasts"),
    timezone: described(string, "time zone of from"),
  }),
]);

export const maintenanceReply = v.object({
  id: described(number, "id of the maintenance"),
  name: described(string, "name of the maintenance"),
  enabled: described(v.boolean(), ENABLED),
  filter: described(placeFilterReply, "conditions that a host or service has to meet, all of them"),
  schedule: described(scheduleReply, "when it takes place: once or weekly"),
  active: described(v.boolean(), "whether a window is open now"),
  until: described(v.nullable(number), "when the open window ends, unix timestamp; null: none is open"),
  next: described(v.nullable(number), "when the next window begins, unix timestamp; null: never"),
});
export type MaintenanceReply = v.InferOutput<typeof maintenanceReply>;

export const maintenanceListReply = v.object({
  totalRecords,
  records: described(v.array(maintenanceReply), "maintenance, one record each"),
});

export const createReply = v.object({ id: described(number, "id of the new maintenance") });
