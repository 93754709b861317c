import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { LruMap } from "../lru-map.ts";
import { reasonOf } from "../text.ts";
import { DatabaseFileLost, databaseError, isDamage } from "./database-error.ts";
import type { DatabaseFile } from "./database-file.ts";
import type { Db } from "./open.ts";
import { probeStorage } from "./storage-probe.repository.ts";

/** An outage ends after this many quiet milliseconds: a nearly full disk accepts some writes. */
const QUIET_MS = 5000;
/** Interval between probes during an outage, milliseconds. */
const PROBE_INTERVAL_MS = 1000;

export interface StorageHealthDependencies {
  db: Db;
  clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  log: Log;
  /** Null for a database in memory or on a server. */
  file: DatabaseFile | null;
}

/** The most agents whose rejected last message is remembered. */
const MAX_REFUSED = 10_000;

/**
 * Tracks whether the database is writable. An outage begins with the first failed write, for example on a
 * full disk, and ends when writes work again. It must not count against hosts: the heartbeat declares no host
 * down during an outage, and afterwards stores it as excluded time.
 */
export class StorageHealth {
  #failing = false;
  /** Start of the outage not yet stored as excluded time, unix seconds. */
  #since: number | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probedAt = Number.NEGATIVE_INFINITY;
  /** When a message was last rejected because of a server fault, in monotonic milliseconds, by agent id. */
  readonly #refused = new LruMap<string, number>(MAX_REFUSED);

  constructor(private readonly dependencies: StorageHealthDependencies) {}

  /**
   * Records a failed write. Errors other than storage outages are ignored. So is damage, since it affects
   * single rows.
   * @param since start of the outage, unix seconds, if earlier than now
   * @returns whether the error means a storage outage
   */
  failed(error: unknown, since = this.dependencies.clock.now()): boolean {
    const reason = databaseError(error);
    if (reason === null || isDamage(error)) return false;
    this.#fail(reason, since);
    return true;
  }

  /** Runs a write that may fail in an outage. @returns whether it was made @throws any other error */
  ifPossible(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      if (!this.failed(error)) throw error;
      return false;
    }
  }

  /** Records a successful write that needed as much space as messages do. */
  worked(): void {
    if (this.#failing) this.dependencies.log.info("the database can be written again");
    this.#failing = false;
  }

  /** Whether the database is writable. During an outage this probes it, at most once a second. */
  isAvailable(): boolean {
    const { db, monotonic } = this.dependencies;
    try {
      this.assertInPlace();
    } catch (error) {
      this.failed(error);
      return false;
    }
    if (!this.#failing || monotonic() - this.#probedAt < PROBE_INTERVAL_MS) return !this.#failing;
    this.#probedAt = monotonic();
    try {
      probeStorage(db);
      this.worked();
    } catch (error) {
      this.#fail(databaseError(error) ?? reasonOf(error), this.dependencies.clock.now());
    }
    return !this.#failing;
  }

  /** @throws DatabaseFileLost when data stored now would be missing at the next start */
  assertInPlace(): void {
    if (this.dependencies.file?.isInPlace() === false) throw new DatabaseFileLost();
  }

  /** Records that this agent's message was rejected: the agent must not count as down. */
  refused(agentId: string): void {
    this.#refused.set(agentId, this.dependencies.monotonic());
  }

  /** Whether a message of this agent was rejected within the last `seconds`. */
  wasRefused(agentId: string, seconds: number): boolean {
    const at = this.#refused.peek(agentId);
    return at !== undefined && this.dependencies.monotonic() - at <= seconds * 1000;
  }

  /** Start of the outage not yet stored as excluded time, unix seconds; null without one. */
  get outageSince(): number | null {
    return this.#since;
  }

  /** Whether the outage is over. */
  get isOver(): boolean {
    return !this.#failing && this.dependencies.monotonic() - this.#failedAt >= QUIET_MS;
  }

  /** Forgets the outage after it was stored as excluded time. */
  clearOutage(): void {
    this.#since = null;
  }

  #fail(reason: string, since: number): void {
    // Logged once per outage: every further write would repeat it.
    if (!this.#failing) this.dependencies.log.error("the database cannot be written", { reason });
    this.#failing = true;
    this.#failedAt = this.dependencies.monotonic();
    this.#since = Math.min(this.#since ?? since, since);
  }
}
