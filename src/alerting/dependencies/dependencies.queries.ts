import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Dependencies } from "./dependencies.service.ts";

/** Queries of dependencies that run on a query worker. */
export function dependencyQueries(db: Db) {
  const dependencies = new Dependencies(db);
  return {
    dependencyList: (hostId: number | undefined, scope: Scope) => dependencies.list(hostId, scope),
  };
}

export type DependencyQueries = AsyncQueries<ReturnType<typeof dependencyQueries>>;
