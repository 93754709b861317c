/** Feeds past values to a limit, as the messages of that time would have. Pure. */
import { LIMIT_LEVEL, type LimitLevel } from "../health/health.ts";
import { type CompiledLimit, stateAfter } from "./host-limits.ts";
import { type LimitState, WITHIN_BOUNDS, withoutData } from "./limit-state.ts";

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
  #state: LimitState = WITHIN_BOUNDS;
  #lastAt: number | null = null;

  constructor(readonly entry: CompiledLimit) {}

  /** Whether it is neither exceeded nor about to be, so that values within the bounds change nothing. */
  get isWithinBounds(): boolean {
    return this.#state === WITHIN_BOUNDS;
  }

  /**
   * Processes a message.
   * @param value NaN if the message has none @param at when it was received
   * @param patience seconds without a message after which the host is down
   */
  message(value: number, at: number, patience: number): void {
    this.silence(at, patience);
    const previous = { limit: this.entry.limit, state: this.#state };
    this.#move(stateAfter(previous, value, at, this.#lastAt ?? at, patience), at);
    this.#lastAt = at;
  }

  /** No message came until `at`. */
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
