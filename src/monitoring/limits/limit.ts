/** What a limit is, and which services it is about. Pure. */
import { matchesName } from "../../platform/name-pattern.ts";
import type { LimitRow } from "../../platform/storage/schema.ts";
import {
  type FilteredHost,
  holds,
  matchesHost,
  matchesServiceName,
  type PlaceFilter,
} from "../places/place-filter.ts";

/** Which hosts and services a limit is about. */
export interface LimitFilter extends PlaceFilter {
  /** Names of hosts, in which * stands for any text. */
  hostnames?: string[];
  /** Codes of service types. */
  servicetypes?: number[];
}

/** A limit. Times are seconds, values are in the unit of the statistic. */
export interface Limit extends Omit<LimitRow, "statistics" | "filter" | "deleted"> {
  /** Codes of statistic types. The values of one service are added: the parts of CPU usage, for example. */
  statistics: readonly number[];
  filter: LimitFilter;
}

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
