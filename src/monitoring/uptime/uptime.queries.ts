import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { RangeArguments } from "./range.ts";
import { uptimeCsv } from "./uptime.csv.ts";
import { Uptime } from "./uptime.service.ts";

/** Uptime reports that run on a query worker. */
export function uptimeQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const uptime = new Uptime(db, settings, clock);
  return {
    uptimeList: (range: RangeArguments, format: "json" | "csv") => {
      const report = uptime.list(range);
      return format === "csv" ? uptimeCsv(report) : report;
    },
    uptimeOfServices: (hostId: number, range: RangeArguments, format: "json" | "csv") => {
      const report = uptime.get(hostId, range);
      return format === "csv" ? uptimeCsv(report) : report;
    },
    uptimeBars: (hostId: number, service: string | undefined, range: RangeArguments, cells: number) =>
      uptime.bars(hostId, service, range, cells),
  };
}

export type UptimeQueries = AsyncQueries<ReturnType<typeof uptimeQueries>>;
