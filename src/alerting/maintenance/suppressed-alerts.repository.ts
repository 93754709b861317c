import { and, gt, isNull, ne } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { alerts } from "../../platform/storage/schema.ts";

/** Makes the alerts due that a mute suppressed, because the mute ended or changed. @param now unix seconds */
export function wakeSuppressed(db: Db, now: number): void {
  db.update(alerts)
    .set({ dueAt: now })
    .where(and(gt(alerts.dueAt, now), ne(alerts.outcome, ""), isNull(alerts.closedAt)))
    .run();
}
