import { Events } from "../../monitoring/events/events.service.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Deliveries } from "../notifications/deliveries.service.ts";
import type { IncidentListArguments } from "./incidents.schemas.ts";
import { Incidents } from "./incidents.service.ts";
import { WhatMoved } from "./moved.service.ts";

/** Queries of incidents, which run on a query worker. */
export function incidentQueries(db: Db, clock: Clock, mutes: () => MuteLookup) {
  const events = new Events(db, clock, mutes);
  const parts = { events, deliveries: new Deliveries(db, clock), moved: new WhatMoved(db, clock) };
  const incidents = new Incidents({ db, clock, mutes, ...parts });
  return {
    incidentList: (filter: IncidentListArguments, scope: Scope) => incidents.list(filter, scope),
    incidentMoved: (id: number, seesAudit: boolean, scope: Scope) => incidents.moved(id, seesAudit, scope),
    /** What moved first on the host of the failure of an error event. */
    incidentFirstMoves: (id: number) => ({ moves: incidents.firstMoves(id) }),
    incident: (id: number, isAdmin: boolean, scope: Scope) => incidents.get(id, isAdmin, scope),
    deliveriesOfEvent: (eventId: number, isAdmin: boolean, scope: Scope) =>
      incidents.notificationsOf(eventId, isAdmin, scope),
  };
}

export type IncidentQueries = AsyncQueries<ReturnType<typeof incidentQueries>>;
