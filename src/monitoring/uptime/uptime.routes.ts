import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query, read } from "../../platform/http/operation.ts";
import { noRangeStart } from "./range.ts";
import type { UptimeQueries } from "./uptime.queries.ts";
import { barsArguments, barsReply, getArguments, listArguments, uptimeReply } from "./uptime.schemas.ts";

/** Operations that read uptime, of the hosts that the caller sees. */
export function uptimeOperations(queries: UptimeQueries): Operation[] {
  return [
    query("/reports/uptime/list", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Uptime of all hosts",
      request: listArguments,
      response: uptimeReply,
      errors: [noRangeStart],
      handle: ({ format, ...range }, c) => queries.uptimeList(turnOf(c), range, format, scopeOf(c)),
    }),
    query("/reports/uptime/get", {
      access: "session",
      compatible: true,
      past: true,
      summary: "Uptime of the services of a host",
      request: getArguments,
      response: uptimeReply,
      errors: [noSuch("host"), noRangeStart],
      handle: ({ id, format, ...range }, c) =>
        queries.uptimeOfServices(turnOf(c), id, range, format, scopeOf(c)),
    }),
    read("/reports/uptime/bars", {
      access: "session",
      past: true,
      summary: "Seconds up, down and not counted of a host or service, in cells of equal length",
      request: barsArguments,
      response: barsReply,
      errors: [noSuch("host or service"), noRangeStart],
      handle: ({ id, service, cells, ...range }, c) =>
        queries.uptimeBars(turnOf(c), { hostId: id, service, scope: scopeOf(c) }, range, cells),
    }),
  ];
}
