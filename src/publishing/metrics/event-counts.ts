import type { Db } from "../../platform/storage/open.ts";
import { countNewEvents, newestEvent } from "./fleet.repository.ts";
import type { TimeSlices } from "./time-slices.ts";

/** Events that are counted in one query. */
const STEP = 1000;

/** Counts the events that are stored from now on. What is deleted meanwhile stays counted: a counter only grows. */
export class EventCounts {
  readonly #counts = new Map([0, 1, 2].map((state) => [state, 0]));
  #through: number;

  constructor(private readonly db: Db) {
    this.#through = newestEvent(db);
  }

  /** How many there were so far, by state. */
  async count(slices: TimeSlices): Promise<ReadonlyMap<number, number>> {
    for (const newest = newestEvent(this.db); this.#through < newest; ) {
      const through = Math.min(newest, this.#through + STEP);
      // Moved on before anyone else, who may count at the same time, has his turn.
      const counted = countNewEvents(this.db, this.#through, through);
      this.#through = through;
      for (const { state, n } of counted) this.#counts.set(state, (this.#counts.get(state) ?? 0) + n);
      if (slices.over) await slices.next();
    }
    return this.#counts;
  }
}
