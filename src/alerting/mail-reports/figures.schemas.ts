import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";
import { forgottenReply } from "../forgotten/forgotten.schemas.ts";

const number = v.number();
const string = v.string();

const uptimebefore = described(
  v.nullable(number),
  "uptime in the previous period, percent; null: none counted",
);

const uptimeEntries = {
  hosts: described(number, "number of hosts"),
  uptime: described(v.nullable(number), "percent of the counted time that hosts were up; null: none counted"),
  uptimebefore,
  counted: described(number, "counted time of the hosts together, seconds"),
  down: described(number, "time that they were down together, seconds: what is used of the error budget"),
  budget: described(number, "error budget: the part of the counted time that the target allows, seconds"),
};

const place = {
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
};
const check = {
  ...place,
  servicename: described(string, "name of the service"),
  failure: described(string, "what failed: names of event types, the name of a limit, or No report"),
};

/** The figures of a report. Every one covers only the hosts that its reader sees. */
export const figuresReply = v.object({
  datefrom: described(number, "start of the period, unix timestamp"),
  dateto: described(number, "end of the period, unix timestamp"),
  days: described(string, "its local dates, as in 2026-11-21 or 2026-11-16 to 2026-11-22"),
  timezone: described(string, "time zone of the dates"),
  target: described(number, "uptime target, percent"),
  total: described(v.object(uptimeEntries), "uptime of all hosts of the report"),
  groups: described(
    v.array(
      v.object({
        id: described(number, "id of the host group"),
        name: described(string, "name of the host group"),
        target: described(number, "its uptime target, percent: its own, or that of the report"),
        ...uptimeEntries,
      }),
    ),
    "uptime of each group, the lowest first; 50 at most",
  ),
  worst: described(
    v.array(
      v.object({
        ...place,
        uptime: described(v.nullable(number), "percent of its counted time; null: none counted"),
        uptimebefore,
        down: described(number, "time that it was down, seconds"),
        failures: described(number, "number of failures that began"),
      }),
    ),
    "the hosts that were down longest, then those with the most failures; 10 at most",
  ),
  failuretotal: described(number, "number of failures that began in the period"),
  failuretotalbefore: described(number, "number of failures that began in the previous period"),
  failures: described(
    v.array(
      v.object({
        ...check,
        times: described(number, "how often it began"),
        timesbefore: described(number, "how often it began in the previous period"),
        seconds: described(number, "how long it lasted in the period"),
      }),
    ),
    "the most frequent failures; 10 at most",
  ),
  messages: described(number, "number of messages about these hosts that were sent"),
  messagesbefore: described(number, "number of those that were sent in the previous period"),
  noise: described(
    v.array(
      v.object({
        ...check,
        messages: described(number, "number of messages that reported it"),
        share: described(
          number,
          "its share of all messages, percent; a message about several checks counts for each in equal parts",
        ),
        acted: described(
          v.boolean(),
          "whether anyone acknowledged, dismissed or muted it, or sent an action to the service",
        ),
      }),
    ),
    "the smallest number of checks, 10 at most, that sent 80 percent of the messages",
  ),
  forecasts: described(
    v.array(
      v.object({
        ...place,
        servicename: described(string, "name of the service"),
        type: described(number, "statistic type: 18 space usage, 21 inode usage, 4 memory usage"),
        usage: described(number, "usage in percent when the forecast was made"),
        days: described(number, "days from now until it is full"),
      }),
    ),
    "what will be full within 30 days from now, soonest first; 10 at most",
  ),
  forgotten: described(
    v.nullable(forgottenReply("the oldest 10, the oldest first")),
    "what may be forgotten now; null: the report lists it once a week, and not today",
  ),
});
export type ReportFigures = v.InferOutput<typeof figuresReply>;
