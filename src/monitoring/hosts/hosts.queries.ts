import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { HOST_STATUS_NAMES } from "../health/health.ts";
import { allHosts } from "./hosts.repository.ts";

/** Queries of hosts that run on a query worker. */
export function hostQueries(db: Db) {
  return {
    hostList: (scope: Scope) => {
      const records = allHosts(db, scope).map((host) => ({
        id: host.id,
        hostname: host.hostname,
        ipaddr: host.ipaddrout || host.ipaddrin,
        description: host.description,
        agentversion: host.agentVersion,
        status: HOST_STATUS_NAMES[host.status] ?? "Active",
      }));
      return { totalRecords: records.length, records };
    },
  };
}

export type HostQueries = AsyncQueries<ReturnType<typeof hostQueries>>;
