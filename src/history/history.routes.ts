import * as v from "valibot";
import { type Operation, query } from "../http/operation.ts";
import { id, integer, oneOfNumbers, text } from "../http/validate.ts";
import type { Reader } from "../reader/reader.ts";
import { RANGES } from "../uptime/range.ts";
import { format, rangeEntries } from "../uptime/uptime.schemas.ts";

const number = v.number();
const values = v.array(v.nullable(number));

export const historyArguments = v.object({
  hostid: id,
  serviceid: v.optional(id),
  servicename: v.optional(text(1, 255)),
  type: v.optional(v.array(integer(0, 999))),
  descriptor: v.optional(text(0, 1024)),
  ...rangeEntries,
  range: v.optional(oneOfNumbers(RANGES)),
  points: v.optional(integer(2, 5000), 500),
  format,
});

export const historyReply = v.object({
  hostid: number,
  hostname: v.string(),
  datefrom: number,
  dateto: number,
  resolution: v.pipe(number, v.description("seconds; 0 as measured")),
  times: v.array(number),
  series: v.array(
    v.object({
      id: number,
      serviceid: number,
      servicename: v.string(),
      type: number,
      descriptor: v.string(),
      min: values,
      mean: values,
      max: values,
    }),
  ),
});

export function historyOperations(reader: Reader): Operation[] {
  return [
    query("/reports/history/get", {
      access: "session",
      summary: "Statistics of a host over time, as aligned series with gaps as null",
      takes: historyArguments,
      gives: historyReply,
      handle: ({ format, ...question }) => reader.ask("history", question, format),
    }),
  ];
}
