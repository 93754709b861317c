import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import type { HostListArguments } from "./status.schemas.ts";
import { Status } from "./status.service.ts";

/** Long reads of the status of hosts. */
export function statusQueries(db: Db) {
  const status = new Status(db);
  return { hostStatusList: (filter: HostListArguments) => status.list(filter) };
}

export type StatusQueries = AsyncQueries<ReturnType<typeof statusQueries>>;
