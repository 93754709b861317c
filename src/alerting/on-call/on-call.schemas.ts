import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  boolean,
  described,
  id,
  idOf,
  integer,
  nameText,
  oneOf,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { isDate } from "../../platform/local-time.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { daysOfWeek } from "../maintenance/maintenance.schemas.ts";
import { timeOfDay } from "../rules/times.schemas.ts";

/** The most rotations of a schedule, and the most people in one of them. */
const MAX_ROTATIONS = 20;
const MAX_PEOPLE = 50;
const MAX_EVERY = 366;
/** Longest time before a shift at which its person is notified, minutes: two days. */
const MAX_NOTICE = 2880;

const FROM = "when it begins, unix timestamp";
const TO = "when it ends, unix timestamp";

const number = v.number();
const string = v.string();

const hours = v.strictObject({
  days: described(daysOfWeek, "days of the week on which they begin: 0 Sunday to 6 Saturday"),
  from: described(timeOfDay, "time of day at which they begin"),
  to: described(timeOfDay, "time of day at which they end; at or before from: on the next day"),
});

const people = allowing(
  v.pipe(v.array(reference("user")), v.minLength(1), v.maxLength(MAX_PEOPLE)),
  `a list of 1 to ${MAX_PEOPLE} login names of users`,
);
const date = allowing(v.pipe(v.string(), v.check(isDate)), "a date, as in 2026-10-25");

const rotation = v.strictObject({
  name: described(text(0, 255), "name of the rotation"),
  users: described(people, "login names, in the order of their turns"),
  start: described(date, "date of the first turn, as in 2026-10-25"),
  handover: described(timeOfDay, "time of day at which the first turn begins"),
  unit: described(oneOf(["hour", "day", "week"]), "what the length of a turn is counted in"),
  every: described(integer(1, MAX_EVERY), "how many of these a turn lasts, by the wall clock"),
  hours: described(
    v.nullable(hours),
    "hours of the week in which the rotation is on duty; null: around the clock",
  ),
});

const overrideFields = {
  user: described(reference("user"), "login name of the user who is on call instead"),
  from: described(unixTimestamp, FROM),
  to: described(unixTimestamp, TO),
};

/** An override, as an item of the export file. */
export const overrideItem = v.strictObject({
  ...overrideFields,
  createdby: described(string, "login name of the user who made it"),
});

const override = v.object({
  id: described(number, "id of the override"),
  ...overrideItem.entries,
  fullname: described(string, "full name of the user"),
});

export const overrideCreation = v.strictObject({
  schedule: described(reference("schedule"), "id of the schedule"),
  ...overrideFields,
});
export type OverrideCreation = v.InferOutput<typeof overrideCreation>;
export const oneOverride = v.object({ id: idOf("override") });
export const overrideReply = v.object({ id: described(number, "id of the new override") });

/** A schedule: who is on call when, by rotations of people. */
export const schedule = resource("schedule", {
  order: "by name",
  fields: {
    name: described(nameText(255), "name of the schedule"),
    timezone: described(
      v.optional(timeZone),
      "time zone of its dates and times of day; without it, the one in the settings",
    ),
    rotations: described(
      allowing(
        v.pipe(v.array(rotation), v.maxLength(MAX_ROTATIONS)),
        `a list of at most ${MAX_ROTATIONS} rotations`,
      ),
      "rotations; of those on duty at a time, the first one counts",
    ),
    noticeminutes: described(
      v.optional(integer(0, MAX_NOTICE, `a number of minutes from 0 to ${MAX_NOTICE}`), 0),
      "how many minutes before a shift its person is notified of it; 0: there is no notice",
    ),
    handovernotice: described(
      v.optional(boolean, false),
      "whether both the outgoing and the incoming person are notified of each handover",
    ),
  },
  derived: {
    overrides: described(v.array(override), "overrides that have not ended, by their beginning"),
  },
});

export const calendarArguments = v.object({
  scheduleid: described(v.optional(id), "only this schedule"),
  from: described(unixTimestamp, "beginning of the span, unix timestamp"),
  to: described(unixTimestamp, "end of the span, at most 31 days later, unix timestamp"),
});
export type CalendarArguments = v.InferOutput<typeof calendarArguments>;

const NOBODY = "empty: nobody is on call";
const gap = v.object({ from: described(number, FROM), to: described(number, TO) });

const nowOnCall = v.object({
  id: described(number, "id of the schedule"),
  name: described(string, "name of the schedule"),
  timezone: described(string, "time zone of the schedule"),
  uname: described(string, `login name of the user on call; ${NOBODY}`),
  fullname: described(string, "full name of that user"),
  until: described(v.nullable(number), "when someone else follows, unix timestamp; null: not within 31 days"),
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
