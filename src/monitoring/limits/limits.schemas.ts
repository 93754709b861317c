import * as v from "valibot";
import { STATISTIC_UNITS } from "../../monit/statistic-types.ts";
import { few } from "../../platform/http/list-arguments.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  boolean,
  described,
  id,
  idOf,
  integer,
  oneOf,
  orEmpty,
  text,
  webAddress,
} from "../../platform/http/validate.ts";
import { MISSING_DATA } from "../../platform/storage/schema/limits.ts";
import { placeArguments, placeReply } from "../places/places.schemas.ts";

const MAX_MINUTES = 10_080; // a week
/** Most types of statistics that are added: the parts of CPU usage are ten. */
const MAX_STATISTICS = 20;

const minutes = v.optional(integer(0, MAX_MINUTES, `a number of minutes from 0 to ${MAX_MINUTES}`));
const flag = v.optional(boolean);

const decimal = allowing(
  v.pipe(v.string(), v.regex(/^-?\d{1,15}(?:\.\d{1,9})?$/), v.transform(Number)),
  "a number, with a point before decimals",
);
const numberOrNone = v.optional(orEmpty(decimal));

const isNumeric = (code: number) => (STATISTIC_UNITS[code] ?? "text") !== "text";
const statisticType = v.pipe(
  integer(0, 1000, "the code of a statistic type that is a number"),
  v.check(isNumeric, "the code of a statistic type that is a number"),
);

const ENABLED = "whether values are held to the limit";
const STATISTICS = "codes of statistic types (see statistics); the values of a service are added";
const DESCRIPTOR =
  "only statistics with this descriptor, as in 15min for the load of 15 minutes; empty: with any";
const PER_PROCESSOR = "whether values are divided by the number of processors of the host";
const DIRECTION = "on which side of its values the limit is passed";
const WARNING = "value that opens a warning, in the unit of the statistic";
const CRITICAL = "value that opens a critical failure";
const MINUTES = "minutes for which every value has to pass, before a failure opens";
const CLEAR_VALUE = "value at which the failure may end";
const CLEAR_MINUTES = "minutes for which every value has to be back, before the failure ends";
const MISSING =
  "what happens when values are missing for as long as makes a host count as down: keep leaves the failure as it is, clear ends it, warn opens one";
const DOWNTIME = "whether its failures count as downtime of the service";
const NOTE = "text that follows in the messages of its events";
const RUNBOOK = "address of instructions, which the messages name too";
const name = described(text(1, 100), "name of the limit");

const contentArguments = {
  enabled: described(flag, ENABLED),
  statistic: described(
    v.optional(v.pipe(v.array(statisticType), v.minLength(1), v.maxLength(MAX_STATISTICS))),
    STATISTICS,
  ),
  descriptor: described(v.optional(text(0, 255)), DESCRIPTOR),
  perprocessor: described(flag, PER_PROCESSOR),
  ...placeArguments,
  hostname: few(text(1, 255), "only hosts with these names, in which * stands for any text, in any case"),
  servicetype: few(integer(0, 8), "only services of this type (see service types)"),
  direction: described(v.optional(oneOf(["above", "below"])), DIRECTION),
  warning: described(numberOrNone, `${WARNING}; empty: none`),
  critical: described(numberOrNone, `${CRITICAL}; empty: none`),
  minutes: described(minutes, MINUTES),
  clearvalue: described(numberOrNone, `${CLEAR_VALUE}; empty: the one whose passing opened it`),
  clearminutes: described(minutes, CLEAR_MINUTES),
  missing: described(v.optional(oneOf(MISSING_DATA)), MISSING),
  downtime: described(flag, DOWNTIME),
  note: described(v.optional(text(0, 1000)), NOTE),
  runbook: described(v.optional(webAddress), RUNBOOK),
};

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({ id: idOf("limit"), name: v.optional(name), ...contentArguments });
const content = v.object(contentArguments);
/** Everything but name and id. An absent argument keeps its value, or the default for a new limit. */
export type LimitArguments = v.InferOutput<typeof content> & { name?: string | undefined };
export type LimitCreation = v.InferOutput<typeof createArguments>;
export type LimitUpdate = v.InferOutput<typeof updateArguments>;

const number = v.number();
const string = v.string();
const numbers = v.optional(v.array(number));
const strings = v.optional(v.array(string));
const numberOrNull = v.nullable(number);

const filterReply = v.object({
  ...placeReply,
  hostnames: described(strings, "names of hosts, in which * stands for any text"),
  servicetypes: described(numbers, "codes of service types"),
});

const contentReply = {
  name: described(string, "name of the limit"),
  enabled: described(v.boolean(), ENABLED),
  statistics: described(v.array(number), STATISTICS),
  descriptor: described(string, DESCRIPTOR),
  perprocessor: described(v.boolean(), PER_PROCESSOR),
  filter: described(filterReply, "which hosts and services it is about"),
  direction: described(v.picklist(["above", "below"]), DIRECTION),
  warning: described(numberOrNull, `${WARNING}; null: none`),
  critical: described(numberOrNull, `${CRITICAL}; null: none`),
  minutes: described(number, MINUTES),
  clearvalue: described(numberOrNull, `${CLEAR_VALUE}; null: the one whose passing opened it`),
  clearminutes: described(number, CLEAR_MINUTES),
  missing: described(v.picklist(MISSING_DATA), MISSING),
  downtime: described(v.boolean(), DOWNTIME),
  note: described(string, NOTE),
  runbook: described(string, RUNBOOK),
};

export const limitReply = v.object({
  id: described(number, "id of the limit"),
  manage: described(v.boolean(), "whether the caller may change it"),
  ...contentReply,
  warnings: described(number, "number of services for which it now warns"),
  criticals: described(number, "number of services for which it is now critical"),
});
export type LimitReply = v.InferOutput<typeof limitReply>;

export const listReply = v.object({
  totalRecords,
  records: described(v.array(limitReply), "limits, in the order of their creation"),
});
/** A limit over the last days, which need not be stored. */
export const previewArguments = v.object({
  id: described(v.optional(id), "id of the limit; without it, a limit that is not stored yet"),
  name: v.optional(name),
  ...contentArguments,
  days: described(
    v.optional(integer(1, 31, "a number of days from 1 to 31"), 7),
    "number of past days to preview",
  ),
});

const previewed = v.object({
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  servicename: described(string, "name of the service"),
  date: described(number, "when the failure would have opened, unix timestamp"),
  ended: described(number, "when it would have ended, unix timestamp; 0 while it lasts"),
  severity: described(number, "the worst that it would have been: 1 warning, 2 critical"),
  approximate: described(
    v.boolean(),
    "whether the times are those of five minutes, or of an hour where reading five minutes would take too long",
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
    "since when each message was examined, unix timestamp; before, the extremes of five minutes",
  ),
  hosts: described(number, "number of hosts that the limit is about"),
  examined: described(number, "number of those that were examined: at most 2000, and as many as 5 s allow"),
  services: described(number, "number of services of the examined hosts that the limit is about"),
  records: described(v.array(previewed), "failures, newest first; the newest 500 at most"),
});

export const createReply = v.object({ id: described(number, "id of the new limit") });
