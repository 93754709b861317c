import { databaseTrouble } from "./database/trouble.ts";
import type { Log } from "./log.ts";

/**
 * Work that is done again and again. A step that fails, as on a full disk, does not end it: that is logged once, and once
 * more when it works again.
 */
export class Background {
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #failing = new Set<string>();

  constructor(
    private readonly log: Log,
    /** Is told of every step that failed. */
    private readonly onFailure: (work: string) => void,
  ) {}

  /** @param milliseconds between two steps */
  every(milliseconds: number, work: string, step: () => void): void {
    this.#timers.push(setInterval(() => this.#run(work, step), milliseconds));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #run(work: string, step: () => void): void {
    try {
      step();
      if (this.#failing.delete(work)) this.log.info("background work goes on", { work });
    } catch (error) {
      this.onFailure(work);
      if (this.#failing.has(work)) return;
      this.#failing.add(work);
      this.log.error("background work fails", { work, error: databaseTrouble(error) ?? error });
    }
  }
}
