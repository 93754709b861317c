import { noSuch } from "../http/errors.ts";
import { type Operation, query, read } from "../http/operation.ts";
import type { Reader } from "../reader/reader.ts";
import { noRangeStart } from "./range.ts";
import { barsArguments, barsReply, getArguments, listArguments, uptimeReply } from "./uptime.schemas.ts";

export function uptimeOperations(reader: Reader): Operation[] {
  return [
    query("/reports/uptime/list", {
      access: "session",
      summary: "Uptime of all hosts",
      request: listArguments,
      response: uptimeReply,
      errors: [noRangeStart],
      handle: ({ format, ...range }) => reader.ask("uptimeList", range, format),
    }),
    query("/reports/uptime/get", {
      access: "session",
      summary: "Uptime of the services of a host",
      request: getArguments,
      response: uptimeReply,
      errors: [noSuch("host"), noRangeStart],
      handle: ({ id, format, ...range }) => reader.ask("uptimeOfServices", id, range, format),
    }),
    read("/reports/uptime/bars", {
      access: "session",
      summary: "Seconds up, down and not counted of a host or service, in cells of equal length",
      request: barsArguments,
      response: barsReply,
      errors: [noSuch("host or service"), noRangeStart],
      handle: ({ id, service, cells, ...range }) => reader.ask("uptimeBars", id, service, range, cells),
    }),
  ];
}
