import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { databaseError, isDamage } from "../../platform/storage/database-error.ts";
import { type Db, onRollback, transaction } from "../../platform/storage/open.ts";
import { decodeBlock, encodeBlock, sameRows } from "./block.ts";
import {
  blocksWithin,
  deletePackedSamples,
  getBlock,
  looseSamples,
  nextHostWithBlocks,
  oldestBlock,
  oldestLooseSample,
  putBlock,
} from "./history.repository.ts";
import { withoutUnknown } from "./known-values.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution, startOf } from "./resolutions.ts";
import { type AggregatedPeriod, periodsOfRows, rollUp, rollUpSamples, rowsOfPeriods } from "./rollup.ts";

/** Interval between two steps, milliseconds. */
export const STEP_INTERVAL_MS = 250;
/** Approximate duration of a step, milliseconds. No messages are stored during a step. */
const STEP_BUDGET_MS = 20;
/** Delay after the end of a span before it is packed, seconds: its messages are committed by then. */
const SETTLING = 60;

export interface CompactionDependencies {
  db: Db;
  settings: Settings;
  clock: Clock;
  log: Log;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/** Whether an error, such as a full disk, may pass and is not caused by the rows of one host. */
function mayPass(error: unknown): boolean {
  return databaseError(error) !== null && !isDamage(error);
}

/**
 * Packs the samples of past hours into blocks and aggregates them. All progress is in the database: unpacked samples
 * are still to be packed, and `rolledthrough` is the time up to which days are rolled up. It can be interrupted at
 * any point.
 */
export class Compaction {
  /** Next host of the current pass over all hosts. */
  #nextHost = 0;
  /** Time up to which all samples are known to be packed, unix seconds. */
  #packedThrough = 0;
  /** Last host for which the current day is rolled up. */
  #rolledHost = 0;
  /** Hosts whose samples could not be packed. They stay unpacked until the next start. */
  readonly #failed = new Set<number>();

  constructor(private readonly dependencies: CompactionDependencies) {}

  /** The time up to which all samples are packed, null if unknown, and the number of hosts given up on. */
  get progress(): { packedThrough: number | null; failed: number } {
    return { packedThrough: this.#packedThrough || null, failed: this.#failed.size };
  }

  /** Whether the samples of a host could not be packed and stay unpacked. */
  isGivenUp(hostId: number): boolean {
    return this.#failed.has(hostId);
  }

  /** Does one step of the work in one transaction. @returns whether there is more */
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

  /** Resets the progress in memory after a failed transaction. */
  #startOver(): void {
    this.#nextHost = 0;
    this.#packedThrough = 0;
    this.#rolledHost = 0;
  }

  /** Packs the next complete hour of a host. @returns false if there is none */
  #packNext(): boolean {
    const finished = startOf(this.dependencies.clock.now() - SETTLING, RAW.blockSpan);
    // If the clock was set back, samples of earlier hours have come since.
    if (finished === this.#packedThrough) return false;
    const oldest = oldestLooseSample(this.dependencies.db, this.#nextHost);
    if (!oldest) {
      this.#packedThrough = finished;
      this.#nextHost = 0;
      return false;
    }
    const { hostId, at } = oldest;
    if (at >= finished || this.#failed.has(hostId)) this.#nextHost = hostId + 1;
    else {
      const start = startOf(at, RAW.blockSpan);
      const isPacked = this.#attempt("samples cannot be packed and stay loose", hostId, start, () =>
        this.#pack(hostId, start),
      );
      if (!isPacked) this.#failed.add(hostId);
    }
    return true;
  }

  /** Rolls up days of a host that earlier passes have skipped. @param from unix seconds */
  rollUpSince(hostId: number, from: number): void {
    const end = this.dependencies.settings.get("rolledthrough");
    for (let day = startOf(from, HOURLY.blockSpan); day < end; day += HOURLY.blockSpan)
      this.#attempt("a day cannot be rolled up", hostId, day, () => this.#rollDay(hostId, day));
  }

  /** Processes the rows of one host. After an error they stay as they are, and other hosts are not affected. */
  #attempt(problem: string, host: number, start: number, work: () => void): boolean {
    try {
      transaction(this.dependencies.db, work);
      return true;
    } catch (error) {
      if (mayPass(error)) throw error;
      this.dependencies.log.error(problem, { host, start, error });
      return false;
    }
  }

  #pack(hostId: number, start: number): void {
    const { db } = this.dependencies;
    const span = { from: start, to: start + RAW.blockSpan };
    const earlier = getBlock(db, hostId, RAW, start);
    const loose = looseSamples(db, hostId, span);
    const rows = [...(earlier ? decodeBlock(earlier) : []), ...loose];
    // If the clock was set back, the hour may have been packed before. The sort is stable.
    rows.sort((a, b) => a.at - b.at);
    const block = encodeBlock(rows);
    if (!sameRows(rows, decodeBlock(block)))
      throw new Error("the block does not unpack to the samples that were packed");
    putBlock(db, { hostId, resolution: RAW, start, payload: block });
    const periods = rollUpSamples(withoutUnknown(db, loose), FIVE_MINUTES.seconds);
    this.#sumUp(hostId, FIVE_MINUTES, start, periods);
    const day = startOf(start, HOURLY.blockSpan);
    if (day < this.dependencies.settings.get("rolledthrough") || getBlock(db, hostId, HOURLY, day))
      this.#sumUp(hostId, HOURLY, day, periods);
    deletePackedSamples(db, hostId, span);
  }

  /** Merges periods into the stored aggregates. Their samples may already have been deleted by age. */
  #sumUp(hostId: number, resolution: Resolution, start: number, more: readonly AggregatedPeriod[]): void {
    const { db } = this.dependencies;
    const block = getBlock(db, hostId, resolution, start);
    const stored = block ? periodsOfRows(decodeBlock(block)) : [];
    const periods = rollUp([...stored, ...more], resolution.seconds).sort((a, b) => a.at - b.at);
    putBlock(db, { hostId, resolution, start, payload: encodeBlock(rowsOfPeriods(periods)) });
  }

  /** Rolls up the next complete day of a host. @returns false if there is none */
  #rollNext(): boolean {
    const { db, settings } = this.dependencies;
    const oldest = oldestBlock(db, FIVE_MINUTES);
    if (oldest === null) return false;
    const day = Math.max(settings.get("rolledthrough"), startOf(oldest, HOURLY.blockSpan));
    const end = day + HOURLY.blockSpan;
    if (end > this.#packedThrough) return false;
    const hostId = nextHostWithBlocks(db, FIVE_MINUTES, { from: day, to: end }, this.#rolledHost);
    if (hostId === null) {
      settings.set("rolledthrough", end);
      this.#rolledHost = 0;
    } else {
      this.#attempt("a day cannot be rolled up", hostId, day, () => this.#rollDay(hostId, day));
      this.#rolledHost = hostId;
    }
    return true;
  }

  #rollDay(hostId: number, day: number): void {
    const { db } = this.dependencies;
    const blocks = blocksWithin(db, hostId, FIVE_MINUTES, { from: day, to: day + HOURLY.blockSpan });
    if (blocks.length === 0) return;
    const starts = new Set(blocks.map(({ start }) => start));
    const stored = getBlock(db, hostId, HOURLY, day);
    // Retention may have deleted the finer values of hours that are rolled up already.
    const others = periodsOfRows(stored ? decodeBlock(stored) : []).filter(({ at }) => !starts.has(at));
    const periods = blocks.flatMap(({ payload }) => periodsOfRows(decodeBlock(payload)));
    const hours = [...others, ...rollUp(periods, HOURLY.seconds)].sort((a, b) => a.at - b.at);
    putBlock(db, { hostId, resolution: HOURLY, start: day, payload: encodeBlock(rowsOfPeriods(hours)) });
  }
}
