import type { Clock } from "../../platform/clock.ts";
import { Csv } from "../../platform/http/csv.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { MuteLookup } from "../health/muted.ts";
import { Compare, type CompareRequest } from "./compare.service.ts";
import { History, type HistoryRequest } from "./history.service.ts";
import { Top, type TopRequest } from "./top.service.ts";

/** Statistics over time as a table: one row per point in time, three columns per statistic. */
function csvOf({ times, series }: ReturnType<History["get"]>): Csv {
  const columns = series.flatMap(({ servicename, type, descriptor }) =>
    ["min", "mean", "max"].map((part) =>
      [servicename, type, descriptor, part].filter((word) => word !== "").join(" "),
    ),
  );
  const rows = times.map((time, i) => [
    time,
    ...series.flatMap(({ min, mean, max }) => [min[i] ?? null, mean[i] ?? null, max[i] ?? null]),
  ]);
  return new Csv("history.csv", [["time", ...columns], ...rows]);
}

/** Queries of statistics over time that run on a query worker. */
export function historyQueries(db: Db, settings: SettingsReader, clock: Clock, mutes: () => MuteLookup) {
  const history = new History(db, settings, clock);
  const top = new Top(db, clock, mutes);
  const compare = new Compare(db, settings, clock, history);
  return {
    history: (request: HistoryRequest, format: "json" | "csv", scope: Scope) => {
      const series = history.get(request, scope);
      return format === "csv" ? csvOf(series) : series;
    },
    historyTop: (request: TopRequest, scope: Scope) => top.get(request, scope),
    historyCompare: (request: CompareRequest, scope: Scope) => compare.get(request, scope),
  };
}

export type HistoryQueries = AsyncQueries<ReturnType<typeof historyQueries>>;
