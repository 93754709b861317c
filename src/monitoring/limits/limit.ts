/** Limits, and the services that they apply to. Pure. */
import { matchesName } from "../../platform/name-pattern.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type FilteredHost, holds, matchesHost, matchesServiceName } from "../places/place-filter.ts";
import type { limit } from "./limits.schemas.ts";

/** A limit. Values are in the unit of the statistic. */
export type Limit = { id: number } & ContentOf<typeof limit>;

/** A host, with the fields by which limits select hosts. */
export interface LimitedHost extends FilteredHost {
  hostname: string;
}

/** Whether the limit applies to services of this host. */
export function isAboutHost({ filter }: Pick<Limit, "filter">, host: LimitedHost): boolean {
  return (
    matchesHost(filter, host) &&
    holds(filter.hostnames, (pattern) => matchesName(sortKey(pattern), sortKey(host.hostname)))
  );
}

/** Whether the limit applies to a statistic of a service, on a host that it applies to. */
export function isAboutStatistic(
  { statistics, descriptor, filter }: Pick<Limit, "statistics" | "descriptor" | "filter">,
  statistic: { type: number; descriptor: string; serviceName: string; serviceType: number },
): boolean {
  return (
    statistics.includes(statistic.type) &&
    (descriptor === "" || descriptor === statistic.descriptor) &&
    holds(filter.servicetypes, (type) => type === statistic.serviceType) &&
    matchesServiceName(filter, statistic.serviceName)
  );
}
