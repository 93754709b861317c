import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { MuteLookup } from "../health/muted.ts";
import { type HostFilter, hostIdsMatching } from "./status.repository.ts";
import type { HostListArguments } from "./status.schemas.ts";
import { Status } from "./status.service.ts";

/** Queries of the status of hosts that run on a query worker. */
export function statusQueries(db: Db, clock: Clock, mutes: () => MuteLookup) {
  const status = new Status(db, clock, mutes);
  return {
    hostStatusList: (filter: HostListArguments, scope: Scope) => status.list(filter, scope),
    /** Ids of the hosts that match, by name. */
    hostIdsMatching: (filter: HostFilter, scope: Scope) => ({ ids: hostIdsMatching(db, filter, scope) }),
    hostSummary: (scope: Scope) => status.summary(scope),
    hostStatus: (id: number, isAdmin: boolean, scope: Scope, managed: Scope) =>
      status.get(id, isAdmin, scope, managed),
  };
}

export type StatusQueries = AsyncQueries<ReturnType<typeof statusQueries>>;
