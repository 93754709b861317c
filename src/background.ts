import { databaseTrouble } from "./database/trouble.ts";
import type { Log } from "./log.ts";

/**
 * Work that is done again and again. A step that fails, as on a full disk, does not end it: that is logged once, and once
 * more when it works again.
 */
export class Background {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #failing = new Set<string>();

  constructor(
    private readonly log: Log,
    /** Is told of every step that failed. */
    private readonly onFailure: (work: string) => void,
  ) {}

  /**
   * @param milliseconds until the next step
   * @param step says false when there is nothing more to do
   * @param idle milliseconds until the next step in that case
   */
  every(milliseconds: number, work: string, step: () => boolean, idle = milliseconds): void {
    const next = (wait: number) => {
      const timer = setTimeout(() => next(this.#run(work, step) ? milliseconds : idle), wait);
      this.#timers.set(work, timer);
    };
    next(milliseconds);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** @returns whether there is more to do; what failed is tried again soon */
  #run(work: string, step: () => boolean): boolean {
    try {
      const more = step();
      if (this.#failing.delete(work)) this.log.info("background work goes on", { work });
      return more;
    } catch (error) {
      this.onFailure(work);
      if (!this.#failing.has(work))
        this.log.error("background work fails", { work, error: databaseTrouble(error) ?? error });
      this.#failing.add(work);
      return true;
    }
  }
}
