import { Csv } from "../../platform/http/csv.ts";
import type { History } from "./history.service.ts";

/** Statistics over time as CSV: one row per point in time, three columns per statistic. */
export function historyCsv({ times, series }: ReturnType<History["get"]>): Csv {
  const name = (of: (typeof series)[number]) =>
    [of.servicename, of.type, of.descriptor].filter((part) => part !== "");
  const columns = series.flatMap((one) =>
    ["min", "mean", "max"].map((part) => [...name(one), part].join(" ")),
  );
  const rows = times.map((time, i) => [
    time,
    ...series.flatMap(({ min, mean, max }) => [min[i] ?? null, mean[i] ?? null, max[i] ?? null]),
  ]);
  return new Csv("history.csv", [["time", ...columns], ...rows]);
}
