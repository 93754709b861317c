/** Arguments and replies of the operations on the metrics of many hosts. */
import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, id, integer, oneOf, text } from "../../platform/http/validate.ts";
import { mutedReply } from "../health/muted.ts";
import { rangeOrDatesEntries } from "../uptime/uptime.schemas.ts";
import { MAX_COMPARED } from "./compare.service.ts";
import { FAR, MIN_GROUP } from "./fleet-numbers.ts";
import { MAX_COURSES, MAX_FAR } from "./top.service.ts";

/** The most types that are added up: CPU usage has nine parts. */
const MAX_TYPES = 10;
const MAX_HOSTS = 10_000;

const numberArguments = {
  type: described(
    v.pipe(v.array(integer(0, 999)), v.minLength(1), v.maxLength(MAX_TYPES)),
    "type of statistic (see statistic types); the values of several types are added up per service",
  ),
  descriptor: described(v.optional(text(0, 1024)), "only the statistic with this descriptor"),
};

export const topArguments = v.object({
  ...numberArguments,
  hostgroupid: described(v.optional(v.array(id)), "only members of any of these host groups"),
  order: described(
    v.optional(oneOf(["desc", "asc"]), "desc"),
    "desc: highest first, by the highest value of each host; asc: lowest first, by the lowest",
  ),
  results: described(v.optional(integer(1, MAX_HOSTS), 20), "largest number of hosts listed"),
});

const number = v.number();
const string = v.string();

const shown = {
  hostid: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  led: described(number, "LED of the host"),
  serviceid: described(number, "id of the service that has the number"),
  servicename: described(string, "name of that service"),
  descriptor: described(string, "tells statistics of the same type apart"),
  value: described(number, "the latest value"),
  at: described(number, "when it was received, unix timestamp"),
};

export const topReply = v.object({
  date: described(number, "when the reply was made, unix timestamp"),
  totalRecords,
  median: described(v.nullable(number), "median of the hosts; null: there is none"),
  records: described(
    v.array(
      v.object({
        ...shown,
        course: described(
          v.array(v.nullable(number)),
          `24 hourly means of the last day; null without values; empty after the first ${MAX_COURSES} hosts`,
        ),
        exceeded: described(
          number,
          "whether it exceeds a limit now: 0 no, 1 a warning, 2 a critical limit or one of the agent",
        ),
        muted: mutedReply,
      }),
    ),
    "hosts that report and have such a statistic, in the requested order",
  ),
  distribution: described(
    v.array(
      v.object({
        from: described(number, "smallest value of the bin"),
        to: described(number, "where the next bin begins"),
        hosts: described(number, "number of hosts"),
      }),
    ),
    "all these hosts in 20 bins of equal width; percentages from 0 to 100",
  ),
  far: described(
    v.array(
      v.object({
        ...shown,
        groupid: described(number, "id of the host group; 0: hosts in no group"),
        median: described(number, "median of that group"),
        score: described(number, "distance from that median in spreads; negative below it"),
      }),
    ),
    `hosts at least ${FAR} spreads from the median of a group of at least ${MIN_GROUP} hosts, the farthest first, ` +
      `at most ${MAX_FAR}; a spread is 1.4826 times the median absolute deviation, and at least 5% of the median`,
  ),
});

const few = (noun: string) =>
  described(v.optional(v.array(id), []), `id of a ${noun} to compare; at most ${MAX_COMPARED} in all`);

export const compareArguments = v.object({
  hostid: few("host"),
  serviceid: few("service"),
  ...numberArguments,
  ...rangeOrDatesEntries,
  points: described(v.optional(integer(2, 2000), 300), "largest number of points in time"),
});

export const compareReply = v.object({
  datefrom: described(number, "start, unix timestamp"),
  dateto: described(number, "end, unix timestamp"),
  resolution: described(number, "seconds between two points"),
  times: described(v.array(number), "start of each point, unix timestamp"),
  series: described(
    v.array(
      v.object({
        hostid: described(number, "id of the host"),
        hostname: described(string, "name of the host"),
        serviceid: described(number, "id of the service; 0: the highest of several, or none"),
        servicename: described(string, "name of that service; empty for 0"),
        mean: described(v.array(v.nullable(number)), "mean value at each point; null: there was none"),
      }),
    ),
    "hosts, then services, in the order of the ids; unknown ones are left out",
  ),
});
