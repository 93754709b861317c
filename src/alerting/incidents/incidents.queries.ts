import { Events } from "../../monitoring/events/events.service.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Deliveries } from "../notifications/deliveries.service.ts";
import type { IncidentListArguments } from "./incidents.schemas.ts";
import { Incidents } from "./incidents.service.ts";

/** Queries of incidents, which run on a query worker. */
export function incidentQueries(db: Db, clock: Clock, mutes: () => MuteLookup) {
  const events = new Events(db, clock, mutes);
  const incidents = new Incidents({ db, clock, events, deliveries: new Deliveries(db, clock), mutes });
  return {
    incidentList: (filter: IncidentListArguments, scope: Scope) => incidents.list(filter, scope),
    incident: (id: number, isAdmin: boolean, scope: Scope) => incidents.get(id, isAdmin, scope),
  };
}

export type IncidentQueries = AsyncQueries<ReturnType<typeof incidentQueries>>;
