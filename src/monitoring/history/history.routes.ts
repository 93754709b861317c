import { scopeOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import { noRangeStart } from "../uptime/range.ts";
import type { HistoryQueries } from "./history.queries.ts";
import { historyArguments, historyReply } from "./history.schemas.ts";

export function historyOperations(queries: HistoryQueries): Operation[] {
  return [
    query("/reports/history/get", {
      access: "session",
      summary: "Statistics of a host over time, as aligned series with gaps as null",
      request: historyArguments,
      response: historyReply,
      errors: [noSuch("host"), noRangeStart],
      handle: ({ format, ...request }, c) => queries.history(request, format, scopeOf(c)),
    }),
  ];
}
