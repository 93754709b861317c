import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostListArguments } from "./status.schemas.ts";
import { Status } from "./status.service.ts";

/** Queries of the status of hosts that run on a query worker. */
export function statusQueries(db: Db) {
  const status = new Status(db);
  return { hostStatusList: (filter: HostListArguments) => status.list(filter) };
}

export type StatusQueries = AsyncQueries<ReturnType<typeof statusQueries>>;
