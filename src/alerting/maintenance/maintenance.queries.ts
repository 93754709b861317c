import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { MaintenanceWindows } from "./maintenance.service.ts";

/** Queries of planned maintenance that run on a query worker. */
export function maintenanceQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const maintenance = new MaintenanceWindows(db, settings, clock);
  return { maintenanceList: (scope: Scope) => maintenance.list(scope) };
}

export type MaintenanceQueries = AsyncQueries<ReturnType<typeof maintenanceQueries>>;
