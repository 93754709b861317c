import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Db } from "./open.ts";
import { probeStorage } from "./storage-probe.repository.ts";
import { databaseTrouble, isDamage } from "./trouble.ts";

/** How long nothing may fail before an outage is over, milliseconds: a nearly full disk takes some writes, not others. */
const QUIET_MS = 5000;
/** Between two attempts to store something while nothing can be stored, milliseconds. */
const PROBE_INTERVAL_MS = 1000;

export interface StorageHealthParts {
  db: Db;
  clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  log: Log;
}

/**
 * Knows whether the database can be written. An outage begins with the first write that fails, as on a full disk, and is
 * over once writes work again. No host may be charged for it: the heartbeat judges nobody meanwhile, and settles it
 * afterwards.
 */
export class StorageHealth {
  #failing = false;
  /** Begin of the outage that is not settled yet, unix seconds. */
  #since: number | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: StorageHealthParts) {}

  /**
   * Notes an error of a write. Errors of other kinds than an outage of the storage are ignored, and so is damage, which
   * concerns single rows.
   * @param since when the outage began, unix seconds, if that was earlier than now
   * @returns whether it is an outage of the storage
   */
  failed(error: unknown, since = this.parts.clock.now()): boolean {
    const reason = databaseTrouble(error);
    if (reason === null || isDamage(error)) return false;
    this.#fail(reason, since);
    return true;
  }

  /** Notes that a write which needs as much as messages do has worked. */
  worked(): void {
    if (this.#failing) this.parts.log.info("the database can be written again");
    this.#failing = false;
  }

  /** Whether the database can be written. While it could not, this tries it, at most once a second. */
  isAvailable(): boolean {
    const { db, monotonic } = this.parts;
    if (!this.#failing || monotonic() - this.#probedAt < PROBE_INTERVAL_MS) return !this.#failing;
    this.#probedAt = monotonic();
    try {
      probeStorage(db);
      this.worked();
    } catch (error) {
      this.#fail(databaseTrouble(error) ?? String(error), this.parts.clock.now());
    }
    return !this.#failing;
  }

  /** Begin of the outage that was not settled yet, unix seconds; null without one. */
  get outageSince(): number | null {
    return this.#since;
  }

  /** Whether the outage is over. */
  get isOver(): boolean {
    return !this.#failing && this.parts.monotonic() - this.#failedAt >= QUIET_MS;
  }

  /** To be called once the outage is stored as time that counts for nobody. */
  settle(): void {
    this.#since = null;
  }

  #fail(reason: string, since: number): void {
    // Every write would say the same, until it is over.
    if (!this.#failing) this.parts.log.error("the database cannot be written", { reason });
    this.#failing = true;
    this.#failedAt = this.parts.monotonic();
    this.#since = Math.min(this.#since ?? since, since);
  }
}
