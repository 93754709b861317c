import type { Clock } from "../../platform/clock.ts";
import { LruMap } from "../../platform/lru-map.ts";

/** The most groups that are kept. The least recently seen one is dropped first. */
const MAX_GROUPS = 200;

/** Rejected messages with the same source address and reason. */
export interface RejectionGroup {
  address: string;
  reason: string;
  count: number;
  /** Unix seconds. */
  first: number;
  last: number;
}

/**
 * Rejected messages since the start, in memory, grouped by address and reason. Administrators look here
 * first when a host does not appear.
 */
export class RejectedMessages {
  /** Least recently seen first: a group moves to the end when it is seen again. */
  readonly #groups = new LruMap<string, RejectionGroup>(MAX_GROUPS);

  constructor(private readonly clock: Clock) {}

  /** Counts a rejected message. @param reason why it was rejected, as one public sentence */
  add(address: string, reason: string): void {
    const key = `${address} ${reason}`;
    const now = this.clock.now();
    const group = this.#groups.get(key) ?? { address, reason, count: 0, first: now, last: now };
    this.#groups.set(key, { ...group, count: group.count + 1, last: now });
  }

  /** Most recent first. */
  list(): RejectionGroup[] {
    return [...this.#groups.values()].reverse();
  }
}
