import * as v from "valibot";
import {
  countingIf,
  described,
  id,
  idOf,
  integer,
  oneOf,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { mutedReply } from "../health/muted.ts";
import { tagFilter } from "../tags/tags.schemas.ts";
import { CUSTOM, RANGES } from "./range.ts";

const RANGE_MEANING =
  "0 today, 5 week, 6 month, 7 three months, 8 six months, 9 year, 12 from datefrom to dateto; of the calendar: " +
  "100 this month, 101 last month, 102 this quarter, 103 last quarter, 104 this year, 105 last year";

/** Start and end of a custom range. @param orAbsent whether they also apply if there is no range */
function dateEntries(orAbsent: boolean) {
  const ofCustomRange = { name: "range", value: CUSTOM, orAbsent };
  const date = v.optional(unixTimestamp);
  return {
    datefrom: countingIf(described(date, "start of range 12, otherwise ignored"), ofCustomRange),
    dateto: countingIf(described(date, "end of range 12, otherwise ignored; without it, now"), ofCustomRange),
  };
}

const rangeEntries = {
  range: described(v.optional(oneOf(RANGES), 0), RANGE_MEANING),
  ...dateEntries(false),
};

/** A range; the dates alone imply a custom one. */
export const rangeOrDatesEntries = {
  range: described(
    v.optional(oneOf(RANGES)),
    `${RANGE_MEANING}; without it, 12 if there is a datefrom, otherwise 0`,
  ),
  ...dateEntries(true),
};

export const format = described(v.optional(oneOf(["json", "csv"]), "json"), "json, or csv for a spreadsheet");

const timeline = described(
  v.optional(integer(24, 96)),
  "number of cells in the timeline of each item; without it, there is no timeline",
);

export const listArguments = v.object({
  ...rangeEntries,
  hostgroupid: described(v.optional(v.array(id)), "only members of any of these host groups"),
  tag: tagFilter("hosts"),
  cells: timeline,
  format,
});
export const getArguments = v.object({ id: idOf("host"), ...rangeEntries, cells: timeline, format });
export const barsArguments = v.object({
  id: idOf("host"),
  service: described(v.optional(text(1, 255)), "name of a service; without it, the host itself"),
  ...rangeEntries,
  cells: described(v.optional(integer(24, 96), 48), "number of cells that the time is divided into"),
});

const number = v.number();
const string = v.string();

export const rangeReply = {
  range: described(number, "the argument range"),
  datefrom: described(number, "start, unix timestamp"),
  dateto: described(number, "end, unix timestamp"),
};
const availability = {
  uptime: described(number, "uptime in percent of the counted time"),
  downtime: described(string, "time down in words, as in 2d 3h"),
};

export const timelineReply = described(
  v.optional(v.array(number)),
  "timeline in cells of equal length: 0 not counted, 1 up, 3 down; only if requested",
);

export const uptimeReply = v.object({
  ...rangeReply,
  uptime: described(number, "mean of the items of which time was counted, percent; 100 if there are none"),
  downtime: described(string, "mean time down of these items in words, as in 2d 3h"),
  items: described(
    v.array(
      v.object({
        id: described(number, "id of the host in list, of the service in get"),
        active: described(number, "1: monitored now, 0: not monitored"),
        name: described(string, "name of the host or service"),
        ...availability,
        events: described(number, "number of events stored for that host or service"),
        cells: timelineReply,
        downseconds: described(number, "time down, seconds"),
        muted: mutedReply,
      }),
    ),
    "hosts in list, services in get",
  ),
  timezone: described(string, "time zone of the calendar"),
});

const cell = v.object({
  datefrom: described(number, "start of the cell, unix timestamp"),
  up: described(number, "seconds up"),
  down: described(number, "seconds down"),
  excluded: described(number, "seconds that count as neither"),
});

export const barsReply = v.object({
  ...rangeReply,
  name: described(string, "name of the host or service"),
  cells: described(v.array(cell), "cells of equal length, oldest first"),
});
