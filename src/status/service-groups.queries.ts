import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import { serviceGroupList } from "./service-groups.service.ts";

/** Long reads of service groups. */
export function serviceGroupQueries(db: Db) {
  return { serviceGroupList: () => serviceGroupList(db) };
}

export type ServiceGroupQueries = AsyncQueries<ReturnType<typeof serviceGroupQueries>>;
