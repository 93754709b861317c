import * as v from "valibot";
import { boolean, emptiable, id, integer, text, unixTimestamp } from "../http/validate.ts";
import { dayOfWeek, placeArguments, placeFilterReply, timeOfDay } from "../rules/filters.schemas.ts";
import { timeZone } from "../settings/settings.definitions.ts";

const MAX_MINUTES = 10_080; // a week

export const scheduleArguments = {
  from: v.optional(unixTimestamp),
  to: v.optional(unixTimestamp),
  days: v.optional(emptiable(dayOfWeek)),
  timeofday: v.optional(timeOfDay),
  minutes: v.optional(integer(1, MAX_MINUTES, `a number of minutes from 1 to ${MAX_MINUTES}`)),
  timezone: v.optional(timeZone),
};

const contentArguments = { enabled: v.optional(boolean), ...placeArguments, ...scheduleArguments };
const name = text(1, 255);

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({ id, name: v.optional(name), ...contentArguments });

const scheduleEntries = v.object(scheduleArguments);
export type ScheduleArguments = v.InferOutput<typeof scheduleEntries>;
export type MaintenanceCreation = v.InferOutput<typeof createArguments>;
export type MaintenanceUpdate = v.InferOutput<typeof updateArguments>;

const number = v.number();
const string = v.string();

const scheduleReply = v.variant("kind", [
  v.object({ kind: v.literal("once"), from: number, to: number }),
  v.object({
    kind: v.literal("weekly"),
    days: v.array(number),
    from: string,
    minutes: number,
    timezone: string,
  }),
]);

export const maintenanceReply = v.object({
  id: number,
  name: string,
  enabled: v.boolean(),
  filter: placeFilterReply,
  schedule: scheduleReply,
  active: v.boolean(),
  until: v.nullable(number),
  next: v.nullable(number),
});
export type MaintenanceReply = v.InferOutput<typeof maintenanceReply>;

export const maintenanceListReply = v.object({ totalRecords: number, records: v.array(maintenanceReply) });
