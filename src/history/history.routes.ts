import { noSuch } from "../http/errors.ts";
import { type Operation, query } from "../http/operation.ts";
import type { Reader } from "../reader/reader.ts";
import { noRangeStart } from "../uptime/range.ts";
import { historyArguments, historyReply } from "./history.schemas.ts";

export function historyOperations(reader: Reader): Operation[] {
  return [
    query("/reports/history/get", {
      access: "session",
      summary: "Statistics of a host over time, as aligned series with gaps as null",
      request: historyArguments,
      response: historyReply,
      errors: [noSuch("host"), noRangeStart],
      handle: ({ format, ...question }) => reader.ask("history", question, format),
    }),
  ];
}
