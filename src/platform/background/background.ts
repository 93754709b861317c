import type { Log } from "../log.ts";
import { databaseError } from "../storage/database-error.ts";

/** Waits of at least this many milliseconds end together with others of the same kind. */
const SHARED_WAIT_MS = 1000;
/** What failed is not tried again sooner, milliseconds, however quickly the work goes on otherwise. */
const RETRY_MS = 1000;

/**
 * The wait until the next step, shortened so that it ends at a multiple of itself: what is done every second is then done
 * in one go, since to wake up costs more than most steps. It is never shortened by more than half.
 */
function sharedWait(now: number, milliseconds: number): number {
  if (milliseconds < SHARED_WAIT_MS) return milliseconds;
  const left = milliseconds - (now % milliseconds);
  return left < milliseconds / 2 ? milliseconds : left;
}

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
    /** Milliseconds of a clock that never jumps. */
    private readonly monotonic: () => number,
  ) {}

  /**
   * @param milliseconds until the next step, at the most
   * @param step says false when there is nothing more to do
   * @param idle milliseconds until the next step in that case
   */
  every(milliseconds: number, work: string, step: () => boolean, idle = milliseconds): void {
    const next = (wait: number) => {
      const again = () => {
        const more = this.#run(work, step);
        next(this.#failing.has(work) ? Math.max(milliseconds, RETRY_MS) : more ? milliseconds : idle);
      };
      const timer = setTimeout(again, sharedWait(this.monotonic(), wait));
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
        this.log.error("background work fails", { work, error: databaseError(error) ?? error });
      this.#failing.add(work);
      return true;
    }
  }
}
