import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { databaseError, isDamage } from "../../platform/storage/database-error.ts";
import { type Db, onRollback, transaction } from "../../platform/storage/open.ts";
import { decodeBlock, encodeBlock, sameRows } from "./block.ts";
import {
  blocksWithin,
  deletePackedSamples,
  extentOfBlocks,
  getBlock,
  looseSamples,
  nextHostWithBlocks,
  oldestLooseSample,
  putBlock,
} from "./history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution, startOf } from "./resolutions.ts";
import { type Period, periodsOfRows, rollUp, rollUpSamples, rowsOfPeriods } from "./rollup.ts";

/** Between two steps, milliseconds. */
export const STEP_INTERVAL_MS = 250;
/** One step, and so the pause in taking messages, lasts about this long, milliseconds. */
const STEP_BUDGET_MS = 20;
/** A span is finished this long after its end, seconds: messages that were received in it are committed by then. */
const SETTLING = 60;

export interface CompactionDependencies {
  db: Db;
  settings: Settings;
  clock: Clock;
  log: Log;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
}

/** Whether what failed is no fault of one host's rows, as a full disk: then all of it is tried again later. */
function mayPass(error: unknown): boolean {
  return databaseError(error) !== null && !isDamage(error);
}

/**
 * Packs the samples of finished hours into blocks, and sums them up. All state is in the database: what is loose is to
 * be packed, and `rolledthrough` says up to when days are summed up. So it can stop anywhere and go on later.
 */
export class Compaction {
  /** The host to look at next within this pass over all hosts. */
  #nextHost = 0;
  /** The time up to which everything is packed, as far as this run knows. */
  #packedThrough = 0;
  /** The host after which the day at hand is to be summed up next. */
  #rolledHost = 0;
  /** Hosts whose samples could not be packed; they wait, loose, for the next start. */
  readonly #failed = new Set<number>();

  constructor(private readonly dependencies: CompactionDependencies) {}

  /** Does some of what is to be done, in one transaction. @returns whether there is more */
  step(): boolean {
    const { db, monotonic } = this.dependencies;
    const end = monotonic() + STEP_BUDGET_MS;
    return transaction(db, () => {
      onRollback(db, () => this.#startOver());
      do {
        if (!this.#packNext() && !this.#rollNext()) return false;
      } while (monotonic() < end);
      return true;
    });
  }

  /** What was done for hosts in a transaction that failed is to be done again. */
  #startOver(): void {
    this.#nextHost = 0;
    this.#packedThrough = 0;
    this.#rolledHost = 0;
  }

  /** Packs the next finished hour of a host. @returns false when all are packed */
  #packNext(): boolean {
    const finished = startOf(this.dependencies.clock.now() - SETTLING, RAW.blockSpan);
    if (finished <= this.#packedThrough) return false;
    const oldest = oldestLooseSample(this.dependencies.db, this.#nextHost);
    if (!oldest) {
      this.#packedThrough = finished;
      this.#nextHost = 0;
      return false;
    }
    const { hostId, at } = oldest;
    if (at >= finished || this.#failed.has(hostId)) this.#nextHost = hostId + 1;
    else this.#tryToPack(hostId, startOf(at, RAW.blockSpan));
    return true;
  }

  /** What fails leaves the samples as they are, and the other hosts alone. */
  #tryToPack(hostId: number, start: number): void {
    try {
      transaction(this.dependencies.db, () => this.#pack(hostId, start));
    } catch (error) {
      if (mayPass(error)) throw error;
      this.dependencies.log.error("samples cannot be packed and stay loose", { host: hostId, start, error });
      this.#failed.add(hostId);
    }
  }

  #pack(hostId: number, start: number): void {
    const { db } = this.dependencies;
    const span = { from: start, to: start + RAW.blockSpan };
    const earlier = getBlock(db, hostId, RAW, start);
    const loose = looseSamples(db, hostId, span);
    const rows = [...(earlier ? decodeBlock(earlier) : []), ...loose];
    // The clock may have been set back: samples of an hour that was packed before. Stable, so that equal times keep their order.
    rows.sort((a, b) => a.at - b.at);
    const block = encodeBlock(rows);
    if (!sameRows(rows, decodeBlock(block)))
      throw new Error("what comes out of the block is not what went in");
    putBlock(db, hostId, RAW, start, block);
    const periods = rollUpSamples(loose, FIVE_MINUTES.seconds);
    this.#sumUp(hostId, FIVE_MINUTES, start, periods);
    const day = startOf(start, HOURLY.blockSpan);
    if (day < this.dependencies.settings.get("rolledthrough") || getBlock(db, hostId, HOURLY, day))
      this.#sumUp(hostId, HOURLY, day, periods);
    deletePackedSamples(db, hostId, span);
  }

  /** Adds to what is summed up already: that may be all that is left of samples past their retention. */
  #sumUp(hostId: number, resolution: Resolution, start: number, more: readonly Period[]): void {
    const { db } = this.dependencies;
    const block = getBlock(db, hostId, resolution, start);
    const known = block ? periodsOfRows(decodeBlock(block)) : [];
    const periods = rollUp([...known, ...more], resolution.seconds).sort((a, b) => a.at - b.at);
    putBlock(db, hostId, resolution, start, encodeBlock(rowsOfPeriods(periods)));
  }

  /** Sums up the next finished day of a host. @returns false when all are summed up */
  #rollNext(): boolean {
    const { db, settings } = this.dependencies;
    const extent = extentOfBlocks(db, FIVE_MINUTES);
    if (!extent) return false;
    const day = Math.max(settings.get("rolledthrough"), startOf(extent.oldest, HOURLY.blockSpan));
    const end = day + HOURLY.blockSpan;
    if (end > this.#packedThrough) return false;
    const hostId = nextHostWithBlocks(db, FIVE_MINUTES, { from: day, to: end }, this.#rolledHost);
    if (hostId === undefined) {
      settings.set("rolledthrough", end);
      this.#rolledHost = 0;
    } else {
      this.#tryToRoll(hostId, day);
      this.#rolledHost = hostId;
    }
    return true;
  }

  /** What fails leaves the day as it is, per 5 minutes, and the other hosts alone. */
  #tryToRoll(hostId: number, day: number): void {
    try {
      transaction(this.dependencies.db, () => this.#rollDay(hostId, day));
    } catch (error) {
      if (mayPass(error)) throw error;
      this.dependencies.log.error("a day cannot be summed up", { host: hostId, start: day, error });
    }
  }

  #rollDay(hostId: number, day: number): void {
    const { db } = this.dependencies;
    const blocks = blocksWithin(db, hostId, FIVE_MINUTES, { from: day, to: day + HOURLY.blockSpan });
    const periods = blocks.flatMap(({ payload }) => periodsOfRows(decodeBlock(payload)));
    putBlock(db, hostId, HOURLY, day, encodeBlock(rowsOfPeriods(rollUp(periods, HOURLY.seconds))));
  }
}
