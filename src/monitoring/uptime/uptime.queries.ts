import type { Clock } from "../../platform/clock.ts";
import { Csv } from "../../platform/http/csv.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Muted, MuteLookup } from "../health/muted.ts";
import type { RangeArguments } from "./range.ts";
import { type ReportArguments, Uptime } from "./uptime.service.ts";

type Format = "json" | "csv";
type Item = ReturnType<Uptime["list"]>["items"][number];

/** A report as JSON, or as a table with a row per item. */
function inFormat(format: Format, report: ReturnType<Uptime["list"]>, mutedOf: (item: Item) => Muted | null) {
  if (format === "json")
    return { ...report, items: report.items.map((item) => ({ ...item, muted: mutedOf(item) })) };
  return new Csv("uptime.csv", [
    ["id", "name", "active", "uptime percent", "downtime seconds", "events"],
    ...report.items.map((item) => [
      item.id,
      item.name,
      item.active,
      item.uptime,
      item.downseconds,
      item.events,
    ]),
  ]);
}

/** Uptime reports that run on a query worker. */
export function uptimeQueries(db: Db, settings: SettingsReader, clock: Clock, mutes: () => MuteLookup) {
  const uptime = new Uptime(db, settings, clock);
  return {
    uptimeList: (range: ReportArguments, format: Format, scope: Scope) => {
      const muted = mutes();
      return inFormat(format, uptime.list(range, scope), ({ id }) => muted(id, null));
    },
    uptimeOfServices: (hostId: number, range: ReportArguments, format: Format, scope: Scope) => {
      const muted = mutes();
      return inFormat(format, uptime.get(hostId, range, scope), ({ name }) => muted(hostId, name));
    },
    uptimeBars: (subject: Parameters<Uptime["bars"]>[0], range: RangeArguments, cells: number) =>
      uptime.bars(subject, range, cells),
  };
}

export type UptimeQueries = AsyncQueries<ReturnType<typeof uptimeQueries>>;
