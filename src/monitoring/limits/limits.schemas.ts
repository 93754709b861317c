import * as v from "valibot";
import { STATISTIC_UNITS } from "../../monit/statistic-types.ts";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import {
  allowing,
  boolean,
  described,
  id,
  idOf,
  integer,
  nameText,
  oneOf,
  previewDays,
  text,
  webAddress,
} from "../../platform/http/validate.ts";
import { resource } from "../../platform/resources/resource.ts";
import { timeZone } from "../../platform/settings/settings.definitions.ts";
import { LIMIT_PERIODS, MISSING_DATA } from "../../platform/storage/schema/limits.ts";
import { serviceType } from "../health/service-type.schemas.ts";
import { condition, placeConditions } from "../places/places.schemas.ts";

const MAX_MINUTES = 10_080; // a week
/** The most types of statistics that are added: CPU usage has nine parts. */
const MAX_STATISTICS = 20;
/** Values of limits have at most this many digits before the decimal point. */
const MAX_VALUE = 1e15;

const minutes = integer(0, MAX_MINUTES, `a number of minutes from 0 to ${MAX_MINUTES}`);
const value = allowing(
  v.nullable(v.pipe(v.number(), v.minValue(-MAX_VALUE), v.maxValue(MAX_VALUE))),
  "a number, or null for none",
);

const isNumeric = (code: number) => (STATISTIC_UNITS[code] ?? "text") !== "text";
const statisticType = v.pipe(
  integer(0, 1000, "the code of a statistic type that is a number"),
  v.check(isNumeric, "the code of a statistic type that is a number"),
);

const filter = v.strictObject({
  ...placeConditions,
  hostnames: condition(
    text(1, 255),
    "only hosts with these names; * stands for any text, \\* for a star, regardless of case",
  ),
  servicetypes: condition(serviceType, "only services of these types (see service types)"),
});

/** A limit: its values, what opens a failure, and what ends it. */
export const limit = resource("limit", {
  order: "in the order of their creation",
  fields: {
    name: described(nameText(100), "name of the limit"),
    enabled: described(v.optional(boolean, true), "whether values are compared with the limit"),
    statistics: described(
      v.pipe(v.array(statisticType), v.minLength(1), v.maxLength(MAX_STATISTICS)),
      "codes of statistic types (see statistics); the values of a service are added",
    ),
    descriptor: described(
      v.optional(text(0, 255), ""),
      "only statistics with this descriptor, such as 15min for the load of 15 minutes; empty: with any",
    ),
    perprocessor: described(
      v.optional(boolean, false),
      "whether values are divided by the number of processors of the host",
    ),
    filter: described(v.optional(filter, {}), "which hosts and services it is about"),
    direction: described(
      v.optional(oneOf(["above", "below"]), "above"),
      "on which side of its values the limit is exceeded",
    ),
    warning: described(
      v.optional(value, null),
      "value that opens a warning, in the unit of the statistic; null: none",
    ),
    critical: described(v.optional(value, null), "value that opens a critical failure; null: none"),
    period: described(
      v.optional(oneOf(LIMIT_PERIODS), "message"),
      "what is compared: message: each value as it is reported; month: by how much counters have grown since the start of the calendar month",
    ),
    timezone: described(v.optional(timeZone, "UTC"), "time zone of the calendar month"),
    minutes: described(
      v.optional(minutes, 0),
      "minutes for which every value has to exceed it before a failure opens",
    ),
    clearvalue: described(
      v.optional(value, null),
      "value at which the failure may end; null: the value that opened it",
    ),
    clearminutes: described(
      v.optional(minutes, 0),
      "minutes for which every value has to be back before the failure ends",
    ),
    missing: described(
      v.optional(oneOf(MISSING_DATA), "keep"),
      "what happens when values are missing once the host would count as down: keep leaves the failure as it is, clear ends it, warn opens one",
    ),
    downtime: described(v.optional(boolean, false), "whether its failures count as downtime of the service"),
    note: described(v.optional(text(0, 1000), ""), "text that is added to the messages of its events"),
    runbook: described(
      v.optional(webAddress, ""),
      "address of instructions, which is added to the messages too",
    ),
  },
  derived: {
    manage: described(v.boolean(), "whether the caller may change it"),
    warnings: described(v.number(), "number of services for which it now warns"),
    criticals: described(v.number(), "number of services for which it is now critical"),
  },
});

export const unmatchedReply = v.object({
  ids: described(
    v.array(v.number()),
    "ids of enabled limits that the caller manages; none if there is no host, or if there are too many to check within 3 seconds",
  ),
});

/** A preview of a limit over the last days: of a stored limit, one with changes, or a new one. */
export const previewArguments = v.strictObject({
  id: described(v.optional(id), "id of the limit; without it, a limit that is not stored yet"),
  limit: described(v.optional(limit.content), "the whole limit to preview; without it, the stored one"),
  days: previewDays,
});

const number = v.number();
const string = v.string();

const previewed = v.object({
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  servicename: described(string, "name of the service"),
  date: described(number, "when the failure would have opened, unix timestamp"),
  ended: described(number, "when it would have ended, unix timestamp; 0 while it lasts"),
  severity: described(number, "the worst that it would have been: 1 warning, 2 critical"),
  approximate: described(
    v.boolean(),
    "whether the times are rounded to five minutes, or to an hour where reading five-minute values would take too long",
  ),
});
export const previewReply = v.object({
  total: described(number, "number of failures that the limit would have opened"),
  criticals: described(number, "number of those that would have been critical"),
  longest: described(number, "length of the longest one, seconds"),
  affected: described(number, "number of hosts with a failure"),
  datefrom: described(number, "start of the period that was examined, unix timestamp"),
  dateto: described(number, "end of the period that was examined, unix timestamp"),
  exactfrom: described(
    number,
    "since when each message was examined, unix timestamp; before that, the extremes of each five minutes were",
  ),
  hosts: described(number, "number of hosts that the limit is about"),
  examined: described(number, "number of those that were examined: at most 2000, and as many as 5 s allow"),
  services: described(number, "number of services of the examined hosts that the limit is about"),
  records: described(v.array(previewed), "failures, newest first; the newest 500 at most"),
});

/** The most sums of a page. */
const MAX_PAGE = 200;

export const sumsArguments = v.object({
  id: idOf("limit"),
  results: pageSize(50, MAX_PAGE),
  startindex: v.optional(startindex, 0),
});

export type SumsArguments = v.InferOutput<typeof sumsArguments>;

const sumOfMonth = v.object({
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  servicename: described(string, "name of the service"),
  sum: described(number, "by how much its counters have grown in the month, in the unit of the statistic"),
  from: described(number, "since when that is counted, unix timestamp"),
  at: described(number, "until when, unix timestamp: it is stored every ten minutes"),
  atend: described(
    v.nullable(number),
    "sum at the end of the month at this rate; null: less than a day has been counted",
  ),
  warningat: described(
    v.nullable(number),
    "when the warning will be reached at this rate, unix timestamp; null: not in the rest of this month, or it has been reached",
  ),
  criticalat: described(v.nullable(number), "the same for the critical value"),
});

export const sumsReply = v.object({
  ...pageReply,
  datefrom: described(number, "start of the month, unix timestamp"),
  dateto: described(number, "end of the month, unix timestamp"),
  records: described(v.array(sumOfMonth), "services of hosts that the caller sees, the greatest sum first"),
});
