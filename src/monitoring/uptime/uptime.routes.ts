import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query, read } from "../../platform/http/operation.ts";
import { noRangeStart } from "./range.ts";
import type { UptimeQueries } from "./uptime.queries.ts";
import { barsArguments, barsReply, getArguments, listArguments, uptimeReply } from "./uptime.schemas.ts";

export function uptimeOperations(queries: UptimeQueries): Operation[] {
  return [
    query("/reports/uptime/list", {
      access: "session",
      summary: "Uptime of all hosts",
      request: listArguments,
      response: uptimeReply,
      errors: [noRangeStart],
      handle: ({ format, ...range }) => queries.uptimeList(range, format),
    }),
    query("/reports/uptime/get", {
      access: "session",
      summary: "Uptime of the services of a host",
      request: getArguments,
      response: uptimeReply,
      errors: [noSuch("host"), noRangeStart],
      handle: ({ id, format, ...range }) => queries.uptimeOfServices(id, range, format),
    }),
    read("/reports/uptime/bars", {
      access: "session",
      summary: "Seconds up, down and not counted of a host or service, in cells of equal length",
      request: barsArguments,
      response: barsReply,
      errors: [noSuch("host or service"), noRangeStart],
      handle: ({ id, service, cells, ...range }) => queries.uptimeBars(id, service, range, cells),
    }),
  ];
}
