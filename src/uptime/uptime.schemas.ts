import * as v from "valibot";
import { id, integer, oneOf, oneOfNumbers, text, unixTimestamp } from "../http/validate.ts";
import { RANGES } from "./range.ts";

export const rangeEntries = {
  range: v.optional(oneOfNumbers(RANGES), 0),
  datefrom: v.optional(unixTimestamp),
  dateto: v.optional(unixTimestamp),
};

export const format = v.optional(oneOf(["json", "csv"]), "json");

export const listArguments = v.object({ ...rangeEntries, format });
export const getArguments = v.object({ id, ...rangeEntries, format });
export const barsArguments = v.object({
  id,
  service: v.optional(text(1, 255)),
  ...rangeEntries,
  cells: v.optional(integer(24, 96), 48),
});

const number = v.number();
const string = v.string();

export const uptimeReply = v.object({
  range: number,
  datefrom: number,
  dateto: number,
  uptime: number,
  downtime: string,
  items: v.array(
    v.object({ id: number, active: number, name: string, uptime: number, downtime: string, events: number }),
  ),
});

export const barsReply = v.object({
  range: number,
  datefrom: number,
  dateto: number,
  name: string,
  cells: v.array(v.object({ datefrom: number, up: number, down: number, uncounted: number })),
});
