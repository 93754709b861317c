import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import { noRangeStart } from "../uptime/range.ts";
import type { BudgetQueries } from "./budget.queries.ts";
import { budgetArguments, budgetReply } from "./budget.schemas.ts";

/** The operation that compares uptime with the targets of host groups. */
export function budgetOperations(queries: BudgetQueries): Operation[] {
  return [
    read("/reports/uptime/budget", {
      access: "session",
      past: true,
      summary: "Uptime of hosts in seconds, with the target and error budget of their group",
      request: budgetArguments,
      response: budgetReply,
      errors: [noSuch("group"), noRangeStart],
      handle: (args, c) => queries.uptimeBudget(turnOf(c), args, scopeOf(c)),
    }),
  ];
}
