import type { Db } from "../../platform/storage/open.ts";
import { countNewEvents, newestEvent } from "./fleet.repository.ts";
import type { TimeSlices } from "./time-slices.ts";

/** Events counted in one query. */
const STEP = 1000;

/** Counts events stored since the start. Deleted events stay counted, because a counter must not decrease. */
export class EventCounts {
  readonly #counts = new Map([0, 1, 2].map((state) => [state, 0]));
  #through: number;

  constructor(private readonly db: Db) {
    this.#through = newestEvent(db);
  }

  /** Number of events so far, by state. */
  async count(slices: TimeSlices): Promise<ReadonlyMap<number, number>> {
    for (const newest = newestEvent(this.db); this.#through < newest; ) {
      const through = Math.min(newest, this.#through + STEP);
      // Advanced before the next await, since another count may run concurrently.
      const counted = countNewEvents(this.db, this.#through, through);
      this.#through = through;
      for (const { state, n } of counted) this.#counts.set(state, (this.#counts.get(state) ?? 0) + n);
      if (slices.over) await slices.next();
    }
    return this.#counts;
  }
}
