import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, id, idOf, text, unixTimestamp } from "../../platform/http/validate.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";

/** Longest JSON text of rotations. */
const MAX_TEXT = 100_000;

const name = described(text(1, 255), "name of the schedule");
const timezone = described(
  v.optional(timeZone),
  "time zone of its dates and times of day; without it, the one in the settings",
);
const rotations = described(
  text(2, MAX_TEXT),
  "rotations as a JSON array, as in the reply of oncall/get; of those on duty at a time, the first one counts",
);

export const createArguments = v.object({ name, timezone, rotations });
export type ScheduleCreation = v.InferOutput<typeof createArguments>;
export const updateArguments = v.object({
  id: idOf("schedule"),
  name: v.optional(name),
  timezone: described(v.optional(timeZone), "time zone of its dates and times of day"),
  rotations: v.optional(rotations),
});
export type ScheduleUpdate = v.InferOutput<typeof updateArguments>;
export const oneSchedule = v.object({ id: idOf("schedule") });

const FROM = "when it begins, unix timestamp";
const TO = "when it ends, unix timestamp";

export const overrideCreation = v.object({
  scheduleid: described(id, "id of the schedule"),
  uname: described(text(1, 255), "login name of the user who is on call instead"),
  from: described(unixTimestamp, FROM),
  to: described(unixTimestamp, TO),
});
export type OverrideCreation = v.InferOutput<typeof overrideCreation>;
export const oneOverride = v.object({ id: idOf("override") });

export const calendarArguments = v.object({
  scheduleid: described(v.optional(id), "only this schedule"),
  from: described(unixTimestamp, "beginning of the span, unix timestamp"),
  to: described(unixTimestamp, "end of the span, at most 31 days later, unix timestamp"),
});
export type CalendarArguments = v.InferOutput<typeof calendarArguments>;

const number = v.number();
const string = v.string();

const hours = v.object({
  days: described(v.array(number), "days of the week on which they begin: 0 Sunday to 6 Saturday"),
  from: described(string, "time of day at which they begin"),
  to: described(string, "time of day at which they end; at or before from: on the next day"),
});

const rotation = v.object({
  name: described(string, "name of the rotation"),
  users: described(v.array(string), "login names, in the order of their turns"),
  start: described(string, "date of the first turn, as in 2026-10-25"),
  handover: described(string, "time of day at which the first turn begins"),
  unit: described(v.picklist(["hour", "day", "week"]), "what the length of a turn is counted in"),
  every: described(number, "how many of these a turn lasts, by the wall clock"),
  hours: described(
    v.nullable(hours),
    "hours of the week in which the rotation is on duty; null: around the clock",
  ),
});

const override = v.object({
  id: described(number, "id of the override"),
  uname: described(string, "login name of the user who is on call instead"),
  fullname: described(string, "full name of that user"),
  from: described(number, FROM),
  to: described(number, TO),
  createdby: described(string, "login name of the user who made it"),
});

export const scheduleReply = v.object({
  id: described(number, "id of the schedule"),
  name: described(string, "name of the schedule"),
  timezone: described(string, "time zone of its dates and times of day"),
  rotations: described(v.array(rotation), "rotations; of those on duty at a time, the first one counts"),
  overrides: described(v.array(override), "overrides that have not ended, by their beginning"),
});
export type ScheduleReply = v.InferOutput<typeof scheduleReply>;

export const listReply = v.object({
  totalRecords,
  records: described(v.array(scheduleReply), "schedules, by name"),
});

export const createReply = v.object({ id: described(number, "id of the new schedule") });
export const overrideReply = v.object({ id: described(number, "id of the new override") });

const NOBODY = "empty: nobody is on call";
const gap = v.object({ from: described(number, FROM), to: described(number, TO) });

const nowOnCall = v.object({
  id: described(number, "id of the schedule"),
  name: described(string, "name of the schedule"),
  timezone: described(string, "time zone of the schedule"),
  uname: described(string, `login name of the user on call; ${NOBODY}`),
  fullname: described(string, "full name of that user"),
  until: described(
    v.nullable(number),
    "when somebody else follows, unix timestamp; null: not within 31 days",
  ),
  nextuname: described(
    string,
    "login name of the user who follows; empty: nobody does, or not within 31 days",
  ),
  nextfullname: described(string, "full name of that user"),
  gap: described(
    v.nullable(gap),
    "the first time within 31 days in which nobody is on call, now included; null: there is none",
  ),
});

export const nowReply = v.object({
  totalRecords,
  records: described(v.array(nowOnCall), "who is on call now, by the name of the schedule"),
});

const shift = v.object({
  from: described(number, FROM),
  to: described(number, TO),
  uname: described(string, `login name of the user on call; ${NOBODY}`),
  fullname: described(string, "full name of that user"),
  rotation: described(
    v.nullable(number),
    "place of the rotation in the schedule, from 0; null for an override or a gap",
  ),
  overrideid: described(v.nullable(number), "id of the override; null for a rotation or a gap"),
});

const calendar = v.object({
  id: described(number, "id of the schedule"),
  name: described(string, "name of the schedule"),
  timezone: described(string, "time zone of the schedule"),
  shifts: described(
    v.array(shift),
    "shifts in their order, without a break; those at the ends may last longer",
  ),
  gaps: described(v.array(gap), "times in which nobody is on call"),
});

export const calendarReply = v.object({
  totalRecords,
  records: described(v.array(calendar), "calendars, by the name of the schedule"),
});
