import type { Clock } from "../../platform/clock.ts";
import { Csv } from "../../platform/http/csv.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { MuteLookup } from "../health/muted.ts";
import type { BudgetArguments, BudgetReply } from "./budget.schemas.ts";
import { Budgets } from "./budget.service.ts";

const COLUMNS = [
  "row",
  "id",
  "name",
  "uptime percent",
  "up seconds",
  "down seconds",
  "excluded seconds",
  "unknown seconds",
  "remaining seconds",
  "target percent",
  "budget seconds",
  "budget left seconds",
];

/** The report as a table: a row with the sums, then one for each host. */
function tableOf({ hostgroup, target, items, ...total }: BudgetReply): Csv {
  const cellsOf = (
    time: Omit<BudgetReply["items"][number], "id" | "name" | "active" | "events" | "muted">,
  ) => [
    time.uptime,
    time.up,
    time.down,
    time.excluded,
    time.unknown,
    time.remaining,
    target,
    time.budget ?? null,
    time.left ?? null,
  ];
  return new Csv("uptime.csv", [
    COLUMNS,
    ["total", hostgroup?.id ?? null, hostgroup?.name ?? null, ...cellsOf(total)],
    ...items.map((host) => ["host", host.id, host.name, ...cellsOf(host)]),
  ]);
}

/** Error budgets that are computed on a query worker. */
export function budgetQueries(db: Db, settings: SettingsReader, clock: Clock, mutes: () => MuteLookup) {
  const budgets = new Budgets(db, settings, clock);
  return {
    uptimeBudget: (request: BudgetArguments, scope: Scope) => {
      const reply = budgets.of(request, scope, mutes());
      return request.format === "csv" ? tableOf(reply) : reply;
    },
  };
}

export type BudgetQueries = AsyncQueries<ReturnType<typeof budgetQueries>>;
