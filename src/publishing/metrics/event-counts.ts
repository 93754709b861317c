import type { Turn } from "../../platform/http/turn.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { FleetQueries } from "./fleet.queries.ts";
import { newestEvent } from "./fleet.repository.ts";

/** Counts events stored since the start. Deleted events stay counted, because a counter must not decrease. */
export class EventCounts {
  readonly #counts = new Map([0, 1, 2].map((state) => [state, 0]));
  #through: number;

  constructor(
    db: Db,
    private readonly queries: Pick<FleetQueries, "newFleetEvents">,
  ) {
    this.#through = newestEvent(db);
  }

  /** Number of events so far, by state. @param turn the caller that it counts for */
  async count(turn: Turn): Promise<ReadonlyMap<number, number>> {
    for (;;) {
      const after = this.#through;
      const { counts, through, isWhole } = (await this.queries.newFleetEvents(turn, after)).value;
      // Another caller may have counted these events in the meantime.
      if (this.#through === after) this.#add(counts, through);
      if (isWhole && this.#through >= through) return this.#counts;
    }
  }

  #add(counts: readonly { state: number; n: number }[], through: number): void {
    for (const { state, n } of counts) this.#counts.set(state, (this.#counts.get(state) ?? 0) + n);
    this.#through = through;
  }
}
