import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { described, id, idOf, integer } from "../../platform/http/validate.ts";
import { tagFilter } from "../tags/tags.schemas.ts";

const DEFAULT_RESULTS = 50;

export const forecastGetArguments = v.object({
  hostid: idOf("host"),
  serviceid: described(v.optional(id), "only this service"),
});
export type ForecastGetArguments = v.InferOutput<typeof forecastGetArguments>;

export const forecastListArguments = v.object({
  hostid: described(v.optional(v.array(id)), "only these hosts"),
  hostgroupid: described(v.optional(v.array(id)), "only members of these host groups"),
  tag: tagFilter("hosts"),
  days: described(v.optional(integer(0, 365)), "only what is full within this many days"),
  results: pageSize(DEFAULT_RESULTS),
  startindex: v.optional(startindex, 0),
});
export type ForecastListArguments = v.InferOutput<typeof forecastListArguments>;

const number = v.number();
const string = v.string();
const service = {
  serviceid: described(number, "id of the service"),
  servicename: described(string, "name of the service"),
  type: described(number, "statistic type: 18 space usage, 21 inode usage, 4 memory usage"),
};
const OPEN_END = "null: the interval has no end";

export const forecastGetReply = v.object({
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  records: described(
    v.array(
      v.object({
        ...service,
        usage: described(v.nullable(number), "latest hourly mean in percent; null without values"),
        state: described(
          string,
          "filling; steady: no trend, or too slow a trend to tell; tooshort: less than a week of values, or none of the last day",
        ),
        days: described(v.nullable(number), "days until it is full; null unless filling"),
        daysfrom: described(v.nullable(number), "start of the 80% interval for days; null unless filling"),
        daysto: described(v.nullable(number), `end of that interval; ${OPEN_END}, or not filling`),
        growth: described(v.nullable(number), "growth in percentage points per day; null unless filling"),
      }),
    ),
    "disk space, inodes and memory of each service that has them; numbers have up to three decimals",
  ),
});

export const forecastListReply = v.object({
  ...pageReply,
  records: described(
    v.array(
      v.object({
        hostid: described(number, "id of the host"),
        hostname: described(string, "name of the host"),
        ...service,
        usage: described(number, "usage in percent when the forecast was made"),
        days: described(number, "days from now until it is full"),
        daysfrom: described(number, "start of the 80% interval for days"),
        daysto: described(v.nullable(number), `end of that interval; ${OPEN_END}`),
        growth: described(number, "growth in percentage points per day"),
        calculated: described(number, "when the forecast was made, unix timestamp"),
      }),
    ),
    "forecasts, soonest full first; numbers have up to three decimals",
  ),
});
