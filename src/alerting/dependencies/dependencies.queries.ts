import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { listDependencies } from "./dependencies.repository.ts";

/** Queries of dependencies that run on a query worker. */
export function dependencyQueries(db: Db) {
  return {
    /** @param hostId lists only dependencies with this host at either end; undefined: all */
    dependencyList: (hostId: number | undefined, scope: Scope) => {
      const records = listDependencies(db, hostId, scope).map((row) => ({
        id: row.id,
        dependent: { host: row.hostId, service: row.service },
        cause: { host: row.causeHostId, service: row.causeService },
        hostname: row.hostname,
        causename: row.causeHostname,
      }));
      return { totalRecords: records.length, records };
    },
  };
}

export type DependencyQueries = AsyncQueries<ReturnType<typeof dependencyQueries>>;
