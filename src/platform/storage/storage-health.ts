import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { DatabaseFileLost, databaseError, isDamage } from "./database-error.ts";
import type { DatabaseFile } from "./database-file.ts";
import type { Db } from "./open.ts";
import { probeStorage } from "./storage-probe.repository.ts";

/** How long nothing may fail before an outage is over, milliseconds: a nearly full disk takes some writes, not others. */
const QUIET_MS = 5000;
/** Between two attempts to store something while nothing can be stored, milliseconds. */
const PROBE_INTERVAL_MS = 1000;

export interface StorageHealthDependencies {
  db: Db;
  clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  log: Log;
  /** Null for a database in memory. */
  file: DatabaseFile | null;
}

/** Agents whose last message could not be stored that are remembered. */
const MAX_REFUSED = 10_000;

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
  /** By agent id, when a message of it was last refused for a fault of ours, milliseconds. */
  readonly #refused = new Map<string, number>();

  constructor(private readonly dependencies: StorageHealthDependencies) {}

  /**
   * Notes an error of a write. Errors of other kinds than an outage of the storage are ignored, and so is damage, which
   * concerns single rows.
   * @param since when the outage began, unix seconds, if that was earlier than now
   * @returns whether it is an outage of the storage
   */
  failed(error: unknown, since = this.dependencies.clock.now()): boolean {
    const reason = databaseError(error);
    if (reason === null || isDamage(error)) return false;
    this.#fail(reason, since);
    return true;
  }

  /** Notes that a write which needs as much as messages do has worked. */
  worked(): void {
    if (this.#failing) this.dependencies.log.info("the database can be written again");
    this.#failing = false;
  }

  /** Whether the database can be written. While it could not, this tries it, at most once a second. */
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
      this.#fail(databaseError(error) ?? String(error), this.dependencies.clock.now());
    }
    return !this.#failing;
  }

  /** @throws DatabaseFileLost when what is stored would not be there at the next start */
  assertInPlace(): void {
    if (this.dependencies.file?.isInPlace() === false) throw new DatabaseFileLost();
  }

  /** Notes that a message of this agent could not be stored, while others could: it is not to count as silent. */
  refused(agentId: string): void {
    this.#refused.delete(agentId);
    this.#refused.set(agentId, this.dependencies.monotonic());
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }

  /** Whether a message of this agent was refused within the last `seconds`. */
  wasRefused(agentId: string, seconds: number): boolean {
    const at = this.#refused.get(agentId);
    return at !== undefined && this.dependencies.monotonic() - at <= seconds * 1000;
  }

  /** Begin of the outage that was not settled yet, unix seconds; null without one. */
  get outageSince(): number | null {
    return this.#since;
  }

  /** Whether the outage is over. */
  get isOver(): boolean {
    return !this.#failing && this.dependencies.monotonic() - this.#failedAt >= QUIET_MS;
  }

  /** To be called once the outage is stored as time that counts for nobody. */
  settle(): void {
    this.#since = null;
  }

  #fail(reason: string, since: number): void {
    // Every write would say the same, until it is over.
    if (!this.#failing) this.dependencies.log.error("the database cannot be written", { reason });
    this.#failing = true;
    this.#failedAt = this.dependencies.monotonic();
    this.#since = Math.min(this.#since ?? since, since);
  }
}
