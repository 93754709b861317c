import { turnOf } from "../../platform/http/context.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import { momentErrors } from "./known-moments.ts";
import type { MomentQueries } from "./moment.queries.ts";
import { momentArguments, momentReply } from "./moment.schemas.ts";

/** The past: the operations about it are those of the present, with the argument `at`. */
export function momentOperations(queries: MomentQueries): Operation[] {
  return [
    read("/moment/get", {
      access: "session",
      summary: "Which moments of the past are known, and what is known about one of them",
      request: momentArguments,
      response: momentReply,
      errors: [momentErrors.future, momentErrors.notKnown],
      handle: ({ at }, c) => queries.moment(turnOf(c), at),
    }),
  ];
}
