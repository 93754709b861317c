import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { serviceGroupList } from "./service-groups.service.ts";

/** Queries of service groups that run on a query worker. */
export function serviceGroupQueries(db: Db) {
  return { serviceGroupList: () => serviceGroupList(db) };
}

export type ServiceGroupQueries = AsyncQueries<ReturnType<typeof serviceGroupQueries>>;
