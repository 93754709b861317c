import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Glance } from "./glance.service.ts";

/** The query for the charts beside hosts in lists. It runs on a query worker. */
export function glanceQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const glance = new Glance(db, settings, clock);
  return { hostGlance: (ids: readonly number[], scope: Scope) => glance.of(ids, scope) };
}

export type GlanceQueries = AsyncQueries<ReturnType<typeof glanceQueries>>;
