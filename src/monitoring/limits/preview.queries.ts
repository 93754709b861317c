import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Limit } from "./limit.ts";
import { LimitPreview } from "./preview.service.ts";

/** The query that previews a limit, for a query worker. */
export function limitQueries(db: Db, clock: Clock) {
  const preview = new LimitPreview(db, clock);
  return { limitPreview: (limit: Limit, days: number) => preview.of(limit, days) };
}

export type LimitQueries = AsyncQueries<ReturnType<typeof limitQueries>>;
