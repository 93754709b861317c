import type { Clock } from "../../platform/clock.ts";

/** Groups that are kept; the one not seen for longest makes room. */
const MAX_GROUPS = 200;

export interface StartupError {
  address: string;
  reason: string;
  count: number;
  /** Unix seconds. */
  first: number;
  last: number;
}

/** Posts of agents that were refused, in memory, grouped: the first thing to look at when a host does not appear. */
export class RejectedMessages {
  /** Least recently seen first: a group moves to the end when it is seen again. */
  readonly #groups = new Map<string, StartupError>();

  constructor(private readonly clock: Clock) {}

  add(address: string, reason: string): void {
    const key = `${address} ${reason}`;
    const now = this.clock.now();
    const group = this.#groups.get(key) ?? { address, reason, count: 0, first: now, last: now };
    this.#groups.delete(key);
    this.#groups.set(key, { ...group, count: group.count + 1, last: now });
    if (this.#groups.size <= MAX_GROUPS) return;
    const oldest = this.#groups.keys().next().value;
    if (oldest !== undefined) this.#groups.delete(oldest);
  }

  /** Most recent first. */
  list(): StartupError[] {
    return [...this.#groups.values()].reverse();
  }
}
