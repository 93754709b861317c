import { errors } from "../http/errors.ts";
import { callerOfTurn, type Turn } from "../http/turn.ts";
import { Turns } from "./turns.ts";

/** How many callers may use a slot at a time, and how many may wait for one. */
export interface SlotLimits {
  /** The most slots in use at a time, over all callers. */
  slots: number;
  /** The most callers that wait for a slot. */
  waiting: number;
  /** How long a caller waits, milliseconds. */
  timeLimitMs: number;
}

interface Waiting {
  begin: (release: () => void) => void;
  refuse: () => void;
}

/**
 * Slots for work that only a few callers may do at a time. Each caller has one slot; their further requests wait for
 * it.
 */
export class Slots {
  readonly #turns: Turns<Waiting>;
  #used = 0;

  constructor(private readonly limits: SlotLimits) {
    this.#turns = new Turns(limits.waiting);
  }

  /**
   * Waits for a slot.
   * @returns a function that releases the slot; call it once
   * @throws ApiError 503 if too many wait, or at the time limit
   */
  take(turn: Turn): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: (release) => {
          clearTimeout(timer);
          resolve(release);
        },
        refuse: () => {
          clearTimeout(timer);
          reject(errors.busy("Too many requests like this are in progress: try again"));
        },
      };
      const timer = setTimeout(() => {
        this.#turns.remove(callerOfTurn(turn), waiting);
        waiting.refuse();
      }, this.limits.timeLimitMs);
      this.#turns.add(callerOfTurn(turn), waiting)?.refuse();
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#used < this.limits.slots) {
      const next = this.#turns.begin();
      if (!next) return;
      this.#used++;
      next.item.begin(() => {
        this.#used--;
        this.#turns.end(next.turn);
        this.#begin();
      });
    }
  }
}
