import type { Log } from "../log.ts";
import { databaseError } from "../storage/database-error.ts";

/** Waits of at least this many milliseconds are aligned with each other. */
const SHARED_WAIT_MS = 1000;
/** Least wait before a failed step is retried, milliseconds. */
const RETRY_MS = 1000;

/**
 * Shortens a wait so that it ends at a multiple of its length. Tasks with the same interval then run in one
 * wakeup, which costs more than most steps. A wait is never shortened by more than half.
 */
function sharedWait(now: number, milliseconds: number): number {
  if (milliseconds < SHARED_WAIT_MS) return milliseconds;
  const remaining = milliseconds - (now % milliseconds);
  return remaining < milliseconds / 2 ? milliseconds : remaining;
}

/**
 * Runs tasks repeatedly. A failed step, for example on a full disk, does not end its task. The first failure
 * is logged, and so is the first success after it.
 */
export class Background {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #failing = new Set<string>();

  constructor(
    private readonly log: Log,
    /** Called after every failed step, with the name of its task. */
    private readonly onFailure: (work: string) => void,
    /** A monotonic clock, milliseconds. */
    private readonly monotonic: () => number,
  ) {}

  /**
   * Starts a task.
   * @param milliseconds longest wait before the next step
   * @param step returns false when there is nothing left to do
   * @param idle milliseconds to wait after such a step
   */
  every(milliseconds: number, work: string, step: () => boolean, idle = milliseconds): void {
    const next = (wait: number) => {
      const runAgain = () => {
        const hasMore = this.#run(work, step);
        next(this.#failing.has(work) ? Math.max(milliseconds, RETRY_MS) : hasMore ? milliseconds : idle);
      };
      const timer = setTimeout(runAgain, sharedWait(this.monotonic(), wait));
      this.#timers.set(work, timer);
    };
    next(milliseconds);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** Runs one step. @returns whether there is more to do; false after a failure */
  #run(work: string, step: () => boolean): boolean {
    try {
      const hasMore = step();
      if (this.#failing.delete(work)) this.log.info("background work recovered", { work });
      return hasMore;
    } catch (error) {
      this.onFailure(work);
      if (!this.#failing.has(work))
        this.log.error("background work failed", { work, error: databaseError(error) ?? error });
      this.#failing.add(work);
      return false;
    }
  }
}
