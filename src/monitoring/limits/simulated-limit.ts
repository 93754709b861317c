/** Feeds past values to a limit, as the messages of that time would have. Pure. */
import { LIMIT_LEVEL, type LimitLevel } from "../health/health.ts";
import { type Entry, stateAfter } from "./host-limits.ts";
import { KEPT, type LimitState, withoutData } from "./limit-state.ts";

/** A failure that the limit would have opened. Times are unix seconds. */
export interface SimulatedFailure {
  from: number;
  /** Null while it lasts. */
  to: number | null;
  /** The worst level that it had. */
  level: LimitLevel;
}

/** One limit of one service over time. Times must be passed in ascending order. */
export class SimulatedLimit {
  readonly failures: SimulatedFailure[] = [];
  #state: LimitState = KEPT;
  #lastAt: number | null = null;

  constructor(readonly entry: Pick<Entry, "limit" | "service" | "sums" | "divisor" | "predicted">) {}

  /** Whether it is neither passed nor on its way, so that values which pass nothing change nothing. */
  get isKept(): boolean {
    return this.#state === KEPT;
  }

  /**
   * A message.
   * @param value NaN if the message has none @param at when it was received
   * @param patience seconds without a message after which the host is down
   */
  message(value: number, at: number, patience: number): void {
    this.silence(at, patience);
    const known = { limit: this.entry.limit, state: this.#state };
    this.#move(stateAfter(known, value, at, this.#lastAt ?? at, patience), at);
    this.#lastAt = at;
  }

  /** Nothing came until `at`. */
  silence(at: number, patience: number): void {
    const deadline = (this.#lastAt ?? at) + patience;
    if (at > deadline) this.#move(withoutData(this.entry.limit, this.#state), deadline);
  }

  #move(after: LimitState, at: number): void {
    const before = this.#state;
    this.#state = after;
    const open = this.failures.at(-1);
    if (after.level === LIMIT_LEVEL.none) {
      if (before.level !== LIMIT_LEVEL.none && open) open.to = at;
    } else if (before.level === LIMIT_LEVEL.none)
      this.failures.push({ from: at, to: null, level: after.level });
    else if (open && after.level > open.level) open.level = after.level;
  }
}
