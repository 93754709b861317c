/** Milliseconds of work at a stretch: a message that comes meanwhile waits for one or two of these. */
const TURN_MS = 2;

/** Lets whatever waits have its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Breaks long work into turns. */
export class TimeSlices {
  #since: number;

  /** @param monotonic milliseconds of a clock that never jumps */
  constructor(
    private readonly monotonic: () => number,
    private readonly signal: AbortSignal,
  ) {
    this.#since = monotonic();
  }

  get over(): boolean {
    return this.monotonic() - this.#since >= TURN_MS;
  }

  /** To be awaited when the turn is over. @throws the signal's reason once it is aborted */
  async next(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#since = this.monotonic();
  }
}
