/** What a limit is, and which services it is about. Pure. */
import { matchesName } from "../../platform/name-pattern.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { type FilteredHost, holds, matchesHost, matchesServiceName } from "../places/place-filter.ts";
import type { limit } from "./limits.schemas.ts";

/** A limit. Values are in the unit of the statistic. */
export type Limit = { id: number } & ContentOf<typeof limit>;

/** A host as limits choose it. */
export interface LimitedHost extends FilteredHost {
  hostname: string;
}

/** Whether the limit is about services of this host. */
export function isAboutHost({ filter }: Pick<Limit, "filter">, host: LimitedHost): boolean {
  return (
    matchesHost(filter, host) &&
    holds(filter.hostnames, (pattern) => matchesName(pattern.toLowerCase(), host.hostname.toLowerCase()))
  );
}

/** Whether the limit is about a service of a host that it is about. */
export function isAboutService(
  { filter }: Pick<Limit, "filter">,
  service: { name: string; type: number },
): boolean {
  return (
    holds(filter.servicetypes, (type) => type === service.type) && matchesServiceName(filter, service.name)
  );
}

/** Whether the limit is about a statistic of a service that it is about. */
export function isAboutStatistic(
  { statistics, descriptor }: Pick<Limit, "statistics" | "descriptor">,
  statistic: { type: number; descriptor: string },
): boolean {
  return statistics.includes(statistic.type) && (descriptor === "" || descriptor === statistic.descriptor);
}
