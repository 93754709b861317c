import type { Clock } from "../clock.ts";
import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import type { EventListArguments } from "./events.schemas.ts";
import { Events } from "./events.service.ts";

/** Long reads of events. */
export function eventQueries(db: Db, clock: Clock) {
  const events = new Events(db, clock);
  return {
    eventList: (filter: EventListArguments) => events.list(filter),
    eventSummary: () => events.summary(),
  };
}

export type EventQueries = AsyncQueries<ReturnType<typeof eventQueries>>;
