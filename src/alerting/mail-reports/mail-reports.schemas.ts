import * as v from "valibot";
import { few } from "../../platform/http/list-arguments.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  boolean,
  described,
  emptiable,
  id,
  idOf,
  integer,
  oneOf,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { REPORT_PERIODS } from "../../platform/storage/schema/reports.ts";
import { ADDRESS } from "../channels/kinds/email.ts";
import { figuresReply } from "./figures.schemas.ts";

/** Most users, and most other addresses, that get one report. */
const MAX_RECIPIENTS = 100;

const percent = allowing(
  v.pipe(v.string(), v.regex(/^\d{1,3}(?:\.\d{1,4})?$/), v.transform(Number), v.maxValue(100, "at most 100")),
  "a number from 0 to 100, with a point before decimals",
);
const address = allowing(v.pipe(v.string(), v.regex(ADDRESS)), "a mail address");

const NAME = "name of the report";
const ENABLED = "whether it is sent by itself";
const PERIOD = "how often it is sent: after each day, after each week, on Mondays, or after each month";
const HOUR = "hour at which it is sent, from 0 to 23, in the time zone of reports";
const EVERYTHING = "whether it is about all hosts rather than about those of host groups";
const TARGET = "uptime that is wanted, percent";
const CHANNEL = "id of the channel of the kind email through which it is sent";

const name = described(text(1, 100), NAME);

const contentArguments = {
  enabled: described(v.optional(boolean), ENABLED),
  period: described(v.optional(oneOf(REPORT_PERIODS)), PERIOD),
  hour: described(v.optional(integer(0, 23)), HOUR),
  everything: described(v.optional(boolean), EVERYTHING),
  hostgroupid: few(id, "host groups that it is about"),
  target: described(v.optional(percent), TARGET),
  channelid: described(v.optional(id), CHANNEL),
  uname: described(
    v.optional(v.pipe(emptiable(text(1, 255)), v.maxLength(MAX_RECIPIENTS))),
    "users who get it, each a mail of their own about the hosts that they see",
  ),
  address: described(
    v.optional(v.pipe(emptiable(address), v.maxLength(MAX_RECIPIENTS))),
    "mail addresses of others who get it, about all of its hosts",
  ),
};

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({ id: idOf("report"), name: v.optional(name), ...contentArguments });
const content = v.object(contentArguments);
/** An absent argument keeps its value, or the default for a new report. */
export type ReportArguments = v.InferOutput<typeof content> & { name?: string | undefined };
export type ReportCreation = v.InferOutput<typeof createArguments>;
export type ReportUpdate = v.InferOutput<typeof updateArguments>;

const number = v.number();
const string = v.string();
const periodReply = v.picklist(REPORT_PERIODS);

export const reportReply = v.object({
  id: described(number, "id of the report"),
  name: described(string, NAME),
  enabled: described(v.boolean(), ENABLED),
  period: described(periodReply, PERIOD),
  hour: described(number, HOUR),
  everything: described(v.boolean(), EVERYTHING),
  hostgroups: described(v.array(number), "ids of the host groups that it is about"),
  target: described(number, TARGET),
  channelid: described(number, CHANNEL),
  unames: described(v.array(string), "users who get it"),
  unreachable: described(v.array(string), "those of them who have no mail address, and so get none"),
  addresses: described(v.array(string), "mail addresses of others who get it"),
  next: described(v.nullable(number), "when it is sent next, unix timestamp; null: never, it is not enabled"),
});
export type ReportReply = v.InferOutput<typeof reportReply>;

export const listReply = v.object({
  totalRecords,
  records: described(v.array(reportReply), "reports, by name"),
});

export const createReply = v.object({ id: described(number, "id of the new report") });

export const sendReply = v.object({
  deliveries: described(number, "number of mails that are on their way"),
  datefrom: described(number, "start of the period that they are about, unix timestamp"),
  dateto: described(number, "end of that period, unix timestamp"),
});

const own = {
  id: described(number, "id of the report"),
  name: described(string, NAME),
  period: described(periodReply, PERIOD),
};

export const ownListReply = v.object({
  totalRecords,
  records: described(v.array(v.object(own)), "reports that the caller gets, by name; administrators: all"),
});

export const viewArguments = v.object({
  id: idOf("report"),
  before: described(
    v.optional(unixTimestamp),
    "the newest period that was over by then is reported; without it, by now",
  ),
});
export type ViewArguments = v.InferOutput<typeof viewArguments>;

export const viewReply = v.object({
  ...own,
  figures: described(figuresReply, "what the report says, about the hosts that the caller sees"),
});
