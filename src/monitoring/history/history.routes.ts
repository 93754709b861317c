import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import { noRangeStart } from "../uptime/range.ts";
import { compareArguments, compareReply, topArguments, topReply } from "./fleet-numbers.schemas.ts";
import type { HistoryQueries } from "./history.queries.ts";
import { historyArguments, historyReply } from "./history.schemas.ts";
import { tooManyValues } from "./history.service.ts";

/** Operations that read statistics over time, of the hosts that the caller sees. */
export function historyOperations(queries: HistoryQueries): Operation[] {
  return [
    query("/reports/history/get", {
      access: "session",
      past: true,
      summary: "Statistics of a host over time, as aligned series with gaps as null",
      request: historyArguments,
      response: historyReply,
      errors: [noSuch("host"), noRangeStart, tooManyValues],
      handle: ({ format, ...request }, c) => queries.history(turnOf(c), request, format, scopeOf(c)),
    }),
    query("/reports/history/top", {
      access: "session",
      past: true,
      summary:
        "Hosts ranked by the latest value of some types of statistics, its distribution, and hosts far from their group",
      request: topArguments,
      response: topReply,
      handle: (request, c) => queries.historyTop(turnOf(c), request, scopeOf(c)),
    }),
    query("/reports/history/compare", {
      access: "session",
      past: true,
      summary: "The same statistic of several hosts or services over time, at the same points",
      request: compareArguments,
      response: compareReply,
      errors: [noRangeStart, tooManyValues],
      handle: (request, c) => queries.historyCompare(turnOf(c), request, scopeOf(c)),
    }),
  ];
}
