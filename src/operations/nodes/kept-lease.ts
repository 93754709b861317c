/** The lease of the active node, renewed as long as it serves. */
import type { Log } from "../../platform/log.ts";
import { ServiceEnded } from "../../platform/startup-error.ts";
import { databaseError } from "../../platform/storage/database-error.ts";
import { LEASE_SECONDS, LEASE_STEP_MS, type Lease } from "../../platform/storage/lease.postgres.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import { reasonOf } from "../../platform/text.ts";

/** A pause of this many milliseconds is a hang of this process: no statement waits so long for a server. */
const HANG_MS = LEASE_SECONDS * 1000 - LEASE_STEP_MS;

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/** Renews a lease by a timer, from its construction until `stop`. */
export class KeptLease {
  readonly #replaced = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #lookedAt: number;
  #renewedAt: number;
  /** The longest time for which this process stood still since it last held the lease, milliseconds. */
  #hung = 0;
  #isFailing = false;

  /** @param monotonic milliseconds of a clock that never jumps */
  constructor(
    private readonly lease: Lease,
    private readonly nodes: Nodes,
    private readonly log: Log,
    private readonly monotonic: () => number,
  ) {
    this.#lookedAt = monotonic();
    this.#renewedAt = this.#lookedAt;
    this.#timer = setInterval(() => this.step(), LEASE_STEP_MS);
  }

  /** Aborted when another node has the lease, with a ServiceEnded that says why. */
  get replaced(): AbortSignal {
    return this.#replaced.signal;
  }

  /** Renews the lease, and stores that the node runs. */
  step(): void {
    const now = this.monotonic();
    this.#hung = Math.max(this.#hung, now - this.#lookedAt - LEASE_STEP_MS);
    this.#lookedAt = now;
    try {
      if (this.lease.renew()) this.#renewed(now);
      else this.#lost(now);
    } catch (error) {
      // The heartbeat notices that the database is away.
      if (!this.#isFailing)
        this.log.warn("the lease cannot be renewed", { reason: databaseError(error) ?? reasonOf(error) });
      this.#isFailing = true;
    }
    // Waiting for a server that does not answer is not a hang.
    this.#lookedAt = this.monotonic();
  }

  #renewed(now: number): void {
    this.nodes.seen();
    this.#renewedAt = now;
    this.#hung = 0;
    this.#isFailing = false;
  }

  #lost(now: number): void {
    this.stop();
    this.#replaced.abort(
      new ServiceEnded(`another Muster has become the active one, ${this.#why(now)}: it ends here`),
    );
  }

  #why(now: number): string {
    const since = seconds(now - this.#renewedAt);
    if (this.#hung >= HANG_MS) return `since this one hung for ${seconds(this.#hung)}`;
    if (this.#isFailing) return `since this one could not reach the database for ${since}`;
    return `although this one renewed its lease ${since} ago: compare the clocks of the database servers`;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Gives the lease back, so that another node can take it at once. @throws when the server is away */
  release(): void {
    this.stop();
    this.lease.release();
  }
}
