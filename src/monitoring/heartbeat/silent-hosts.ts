/** Evaluates the limits of hosts that are down, whose values are missing. */
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { type LimitEvaluation, MAX_TURNS } from "../limits/limit-evaluation.service.ts";

/** Hosts that are read at a time at start. */
const PAGE = 1000;

/**
 * Evaluates the limits of silent hosts, as many as fit into a transaction. Which hosts are unfinished is kept
 * in memory; `start` finds them again.
 */
export class SilentHosts {
  /** Hosts with failures of limits that later transactions have to open or end. */
  readonly #unfinished = new Set<number>();
  /** Failures that the current transaction may still open or end. */
  #left = 0;

  constructor(
    private readonly db: Db,
    private readonly limits: LimitEvaluation,
    private readonly hostCache: KnownHosts,
  ) {}

  /** Finds hosts whose evaluation was not finished when Muster ended. */
  start(): void {
    for (let after = 0; ; ) {
      const ids = this.limits.manyLimitedHostsDown(after, PAGE);
      for (const id of ids) this.#unfinished.add(id);
      after = ids.at(-1) ?? 0;
      if (ids.length < PAGE) return;
    }
  }

  /** Call it at the beginning of a transaction. */
  begin(): void {
    this.#left = MAX_TURNS;
  }

  /**
   * Evaluates the limits of a host that was declared down. `step` continues with what does not fit into one
   * transaction.
   * @returns false if it needs a transaction of its own: the caller then rolls back its changes of this host
   */
  silence({ id, deadline }: HostRow, now: number): boolean {
    const isAlone = this.#left === MAX_TURNS;
    const { turns, isComplete } = this.limits.silent(id, Math.min(deadline, now), now, this.#left);
    this.#left -= turns;
    if (isComplete) this.#unfinished.delete(id);
    else this.#unfinished.add(id);
    this.hostCache.forget(id);
    return isComplete || isAlone;
  }

  /** Continues with one host. @returns whether there may be more */
  step(now: number): boolean {
    const [id] = this.#unfinished;
    if (id === undefined) return false;
    const host = findHost(this.db, id, "all");
    const isDown = host?.heartbeat === 0 && host.status === HOST_STATUS.inactive && !host.stopped;
    // The limits of a host that reports again are evaluated with its messages.
    if (!isDown) this.#unfinished.delete(id);
    else
      transaction(this.db, () => {
        this.begin();
        this.silence(host, now);
      });
    return this.#unfinished.size > 0;
  }
}
