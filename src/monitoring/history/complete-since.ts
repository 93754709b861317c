/** Since when the values of a resolution are complete. Before that, retention has deleted some of them. */
import { DAY } from "../../platform/clock.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { oldestBlock } from "./history.repository.ts";
import { RESOLUTIONS, type Resolution, startOf } from "./resolutions.ts";

/**
 * Since when all values of a resolution are stored, unix seconds. The days of the settings alone do not tell: what was
 * deleted stays so when they are raised, and counted back from a moment they reach further than from the present.
 * @param db the real database
 * @param now unix seconds; a moment for queries about it
 */
export function completeSince(db: Db, settings: SettingsReader, resolution: Resolution, now: number): number {
  const deletedBefore = settings.get(resolution.since) || unnotedSince(db, resolution, now);
  return Math.max(deletedBefore, now - settings.get(resolution.retention) * DAY);
}

/**
 * Since when values are complete as long as retention has noted nothing: earlier versions deleted without a note. If
 * coarser values reach further back, those before the oldest block are gone. Otherwise none is: 0.
 */
function unnotedSince(db: Db, resolution: Resolution, now: number): number {
  const oldest = oldestBlock(db, resolution) ?? now;
  const isOlder = (other: Resolution) =>
    (oldestBlock(db, other) ?? oldest) < startOf(oldest, other.blockSpan);
  return RESOLUTIONS.filter(({ seconds }) => seconds > resolution.seconds).some(isOlder) ? oldest : 0;
}
