import type { Clock } from "../../platform/clock.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { HOST_STATUS_NAMES } from "../health/health.ts";
import { listDeleted } from "./deleted-hosts.repository.ts";
import { allHosts, inactiveHosts } from "./hosts.repository.ts";

/** Queries of hosts that run on a query worker. */
export function hostQueries(db: Db, clock: Clock) {
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

    /** Ids of the Inactive hosts that last reported at `before` or earlier, unix seconds. */
    inactiveHostIds: (before: number) => ({ ids: inactiveHosts(db, before) }),

    deletedHostList: (limit: number, offset: number) => {
      const { total, records } = listDeleted(db, clock.now(), { limit, offset });
      return pageOf(records, { pageSize: limit, totalRecords: total, startIndex: offset });
    },
  };
}

export type HostQueries = AsyncQueries<ReturnType<typeof hostQueries>>;
