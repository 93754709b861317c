import type { Clock } from "../../platform/clock.ts";
import { Csv } from "../../platform/http/csv.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { RangeArguments } from "./range.ts";
import { type ReportArguments, Uptime } from "./uptime.service.ts";

type Format = "json" | "csv";

/** A report as it is, or as a table with a row per item. */
function inFormat(format: Format, report: ReturnType<Uptime["list"]>) {
  if (format === "json") return report;
  return new Csv("uptime.csv", [
    ["id", "name", "active", "uptime percent", "downtime", "events"],
    ...report.items.map((item) => [item.id, item.name, item.active, item.uptime, item.downtime, item.events]),
  ]);
}

/** Uptime reports that run on a query worker. */
export function uptimeQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const uptime = new Uptime(db, settings, clock);
  return {
    uptimeList: (range: ReportArguments, format: Format, scope: Scope) =>
      inFormat(format, uptime.list(range, scope)),
    uptimeOfServices: (hostId: number, range: ReportArguments, format: Format, scope: Scope) =>
      inFormat(format, uptime.get(hostId, range, scope)),
    uptimeBars: (subject: Parameters<Uptime["bars"]>[0], range: RangeArguments, cells: number) =>
      uptime.bars(subject, range, cells),
  };
}

export type UptimeQueries = AsyncQueries<ReturnType<typeof uptimeQueries>>;
