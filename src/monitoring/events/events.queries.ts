import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { MuteLookup } from "../health/muted.ts";
import { EventChanges } from "./event-changes.service.ts";
import type { EventListArguments } from "./events.schemas.ts";
import { Events } from "./events.service.ts";

/** Queries of events that run on a query worker. */
export function eventQueries(db: Db, clock: Clock, mutes: () => MuteLookup) {
  const events = new Events(db, clock, mutes);
  const changes = new EventChanges(db);
  return {
    eventList: (filter: EventListArguments, scope: Scope) => events.list(filter, scope),
    event: (id: number, scope: Scope) => events.get(id, scope),
    eventChanges: (id: number, scope: Scope) => changes.before(id, scope),
    eventSummary: (scope: Scope) => events.summary(scope),
  };
}

export type EventQueries = AsyncQueries<ReturnType<typeof eventQueries>>;
