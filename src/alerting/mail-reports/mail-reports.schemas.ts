import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  boolean,
  described,
  idOf,
  integer,
  nameText,
  oneOf,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { MAIL_ADDRESS } from "../../platform/net/mail.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import { REPORT_PERIODS } from "../../platform/storage/schema/reports.ts";
import { figuresReply } from "./figures.schemas.ts";

/** The most users, and the most other addresses, that get one report. */
const MAX_RECIPIENTS = 100;
const MAX_GROUPS = 1000;

const percent = allowing(v.pipe(v.number(), v.minValue(0), v.maxValue(100)), "a number from 0 to 100");
const address = allowing(v.pipe(v.string(), v.regex(MAIL_ADDRESS)), "an e-mail address");

const name = described(nameText(100), "name of the report");
const period = described(
  v.optional(oneOf(REPORT_PERIODS), "weekly"),
  "how often it is sent: after each day, after each week, on Mondays, or after each month",
);

/** A report by mail: uptime, failures and noise of a period. */
export const report = resource("report", {
  order: "by name",
  fields: {
    name,
    enabled: described(v.optional(boolean, true), "whether it is sent on schedule"),
    period,
    hour: described(
      v.optional(integer(0, 23), 7),
      "hour at which it is sent, from 0 to 23, in the time zone of reports",
    ),
    everything: described(
      v.optional(boolean, false),
      "whether it is about all hosts rather than about those of host groups",
    ),
    hostgroups: described(
      v.optional(v.pipe(v.array(reference("hostgroup")), v.maxLength(MAX_GROUPS)), []),
      "ids of the host groups that it is about",
    ),
    target: described(v.optional(percent, 99.9), "uptime target, percent"),
    channel: described(reference("channel"), "id of the channel of the kind email through which it is sent"),
    users: described(
      v.optional(v.pipe(v.array(reference("user")), v.maxLength(MAX_RECIPIENTS)), []),
      "login names of users who get it, each a mail of their own about the hosts that they see",
    ),
    addresses: described(
      v.optional(v.pipe(v.array(address), v.maxLength(MAX_RECIPIENTS)), []),
      "e-mail addresses of others who get it, about all of its hosts",
    ),
  },
  derived: {
    unreachable: described(v.array(v.string()), "users who should get it, but have no e-mail address"),
    next: described(
      v.nullable(v.number()),
      "when it is sent next, unix timestamp; null: never, it is not enabled",
    ),
  },
});

const number = v.number();

export const sendReply = v.object({
  deliveries: described(number, "number of mails that are being sent"),
  datefrom: described(number, "start of the period that they are about, unix timestamp"),
  dateto: described(number, "end of that period, unix timestamp"),
});

const summary = { id: described(number, "id of the report"), name, period };

export const ownListReply = v.object({
  totalRecords,
  records: described(
    v.array(v.object(summary)),
    "reports that the caller gets, by name; administrators: all",
  ),
});

export const viewArguments = v.object({
  id: idOf("report"),
  before: described(
    v.optional(unixTimestamp),
    "the last period that was complete by then is reported; without it, by now",
  ),
});
export type ViewArguments = v.InferOutput<typeof viewArguments>;

export const viewReply = v.object({
  ...summary,
  figures: described(figuresReply, "what the report says, about the hosts that the caller sees"),
});
