import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { KnownMoments } from "./known-moments.ts";

/** What is known of moments, for a query worker. */
export function momentQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const moments = new KnownMoments(db, settings, clock);
  return {
    /** @throws ApiError 400 if the moment is not known */
    moment: (at: number | undefined) => moments.describe(at),
  };
}

export type MomentQueries = AsyncQueries<ReturnType<typeof momentQueries>>;
