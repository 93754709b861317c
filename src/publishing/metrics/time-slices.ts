import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds of work per slice. A message that arrives meanwhile waits for one or two slices. */
const TURN_MS = 2;

/** Breaks long work into time slices. */
export class TimeSlices {
  #since: number;

  /** @param monotonic milliseconds of a monotonic clock */
  constructor(
    private readonly monotonic: () => number,
    private readonly signal: AbortSignal,
  ) {
    this.#since = monotonic();
  }

  get over(): boolean {
    return this.monotonic() - this.#since >= TURN_MS;
  }

  /** Await it when the slice is over. @throws the signal's reason once it is aborted */
  async next(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#since = this.monotonic();
  }
}
