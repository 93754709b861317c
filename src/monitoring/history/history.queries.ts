import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { historyCsv } from "./history.csv.ts";
import { History, type HistoryRequest } from "./history.service.ts";

/** Queries of statistics over time that run on a query worker. */
export function historyQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const history = new History(db, settings, clock);
  return {
    history: (request: HistoryRequest, format: "json" | "csv") => {
      const series = history.get(request);
      return format === "csv" ? historyCsv(series) : series;
    },
  };
}

export type HistoryQueries = AsyncQueries<ReturnType<typeof historyQueries>>;
