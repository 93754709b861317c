import { callerOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import type { ForgottenQueries } from "./forgotten.queries.ts";
import { forgottenListReply } from "./forgotten.schemas.ts";

/** What the caller, or others, may have forgotten. */
export function forgottenOperations(queries: ForgottenQueries): Operation[] {
  return [
    read("/forgotten/list", {
      access: "session",
      summary:
        "List old acknowledgements, mutes, ignored hosts and, for those who manage them, disabled rules",
      response: forgottenListReply,
      handle: (_args, c) => {
        const { view, manage } = callerOf(c).rights;
        return queries.forgottenList(turnOf(c), { about: "all", view, manage });
      },
    }),
  ];
}
