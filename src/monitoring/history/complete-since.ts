/** Since when the values of a resolution are complete. Before that, retention has deleted some of them. */
import { DAY } from "../../platform/clock.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { oldestBlock } from "./history.repository.ts";
import { RESOLUTIONS, type Resolution, startOf } from "./resolutions.ts";

/**
 * Since when all values of a resolution are stored, unix seconds. The setting of days is not enough to tell: raising it
 * does not bring back what was deleted, and counted back from a moment it reaches further than from the present.
 * @param db the real database
 * @param now unix seconds; a moment for queries about it
 */
export function completeSince(db: Db, settings: SettingsReader, resolution: Resolution, now: number): number {
  const deletedBefore = settings.get(resolution.since) || unnotedSince(db, resolution, now);
  return Math.max(deletedBefore, now - settings.get(resolution.retention) * DAY);
}

/**
 * Since when values are complete if no deletion is recorded, as earlier versions recorded none. If a coarser resolution
 * reaches further back, retention has deleted the values before the oldest block. Otherwise it has deleted none, and the
 * result is 0.
 */
function unnotedSince(db: Db, resolution: Resolution, now: number): number {
  const oldest = oldestBlock(db, resolution) ?? now;
  const isOlder = (other: Resolution) =>
    (oldestBlock(db, other) ?? oldest) < startOf(oldest, other.blockSpan);
  return RESOLUTIONS.filter(({ seconds }) => seconds > resolution.seconds).some(isOlder) ? oldest : 0;
}
