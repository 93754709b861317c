import type { StartTimer } from "../../src/platform/clock.ts";

/** Timers that end when a test says so, whatever their duration. */
export class HandTimers {
  readonly #running = new Set<() => void>();

  readonly start: StartTimer = (work) => {
    this.#running.add(work);
    return () => this.#running.delete(work);
  };

  /** Ends all that run. */
  readonly end = (): void => {
    for (const work of this.#running) {
      this.#running.delete(work);
      work();
    }
  };
}
