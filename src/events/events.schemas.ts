import * as v from "valibot";
import { direction, results, startindex } from "../http/paging.ts";
import { bitmask, id, integer, oneOf, oneOfNumbers, text, unixTimestamp } from "../http/validate.ts";

export const DEFAULT_RESULTS = 50;

export const eventListArguments = v.object({
  active: v.optional(oneOfNumbers([0, 1, 2]), 0),
  hostid: v.optional(v.array(id)),
  hostgroupid: v.optional(v.array(id)),
  servicenameid: v.optional(v.array(id)),
  servicegroupid: v.optional(v.array(id)),
  servicetype: v.optional(v.array(integer(0, 8))),
  eventtype: v.optional(bitmask),
  state: v.optional(v.array(oneOfNumbers([0, 1, 2]))),
  datefrom: v.optional(unixTimestamp),
  dateto: v.optional(unixTimestamp),
  maxid: v.optional(id),
  results: v.optional(results, DEFAULT_RESULTS),
  startindex: v.optional(startindex, 0),
  sort: v.optional(oneOf(["date", "hostname", "servicename", "event", "note"]), "date"),
  dir: v.optional(direction, "desc"),
});
export type EventListArguments = v.InferOutput<typeof eventListArguments>;

export const dismissArguments = v.object({ id: v.pipe(v.array(id), v.minLength(1)) });

export const noteArguments = v.object({ id, message: text(1, 4096) });

const number = v.number();
const string = v.string();
const stateReply = v.pipe(number, v.description("0 success, 1 error, 2 change"));

export const eventListReply = v.object({
  recordsReturned: number,
  pageSize: number,
  totalRecords: number,
  startIndex: number,
  sort: string,
  dir: string,
  maxid: v.optional(number),
  records: v.array(
    v.object({
      id: number,
      date: number,
      hostname: string,
      hostid: number,
      servicename: string,
      servicenameid: number,
      event: string,
      eventtype: stateReply,
      note: number,
      active: number,
      dismissed: number,
    }),
  ),
});

export const eventReply = v.object({
  id: number,
  hostid: number,
  host: string,
  date: number,
  servicename: string,
  servicetype: string,
  event: string,
  eventstate: stateReply,
  action: string,
  message: string,
  active: number,
  dismissed: number,
  note: v.array(v.object({ date: number, uname: string, message: string })),
});

export const eventSummaryReply = v.object({
  datefrom: number,
  dateto: number,
  events: v.array(v.object({ label: string, data: v.array(v.tuple([number, number])) })),
});

export const noteReply = v.object({ id: number });
