/** What a limit is, and which services it is about. Pure. */
import { matchesName } from "../../platform/name-pattern.ts";
import type { LimitRow } from "../../platform/storage/schema.ts";
import { matchesTags } from "../tags/tag.ts";

/** Which hosts and services a limit is about. An absent condition matches everything. */
export interface LimitFilter {
  hostids?: number[];
  hostgroupids?: number[];
  /** Tags of hosts: those of one name are alternatives, and every name has to match. */
  tags?: string[];
  /** Names of hosts, in which * stands for any text. */
  hostnames?: string[];
  /** Names of services, in which * stands for any text. */
  servicenames?: string[];
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
export interface LimitedHost {
  id: number;
  hostname: string;
  hostGroupIds: readonly number[];
  tags: readonly string[];
}

function holds<T>(wanted: readonly T[] | undefined, test: (one: T) => boolean): boolean {
  return wanted === undefined || wanted.some(test);
}

/** Whether the limit is about services of this host. */
export function isAboutHost({ filter }: Pick<Limit, "filter">, host: LimitedHost): boolean {
  return (
    holds(filter.hostids, (id) => id === host.id) &&
    holds(filter.hostgroupids, (id) => host.hostGroupIds.includes(id)) &&
    (filter.tags === undefined || matchesTags(filter.tags, host.tags)) &&
    holds(filter.hostnames, (pattern) => matchesName(pattern.toLowerCase(), host.hostname.toLowerCase()))
  );
}

/** Whether the limit is about a service of a host that it is about. */
export function isAboutService(
  { filter }: Pick<Limit, "filter">,
  service: { name: string; type: number },
): boolean {
  return (
    holds(filter.servicetypes, (type) => type === service.type) &&
    holds(filter.servicenames, (pattern) => matchesName(pattern, service.name))
  );
}

/** Whether the limit is about a statistic of a service that it is about. */
export function isAboutStatistic(
  { statistics, descriptor }: Pick<Limit, "statistics" | "descriptor">,
  statistic: { type: number; descriptor: string },
): boolean {
  return statistics.includes(statistic.type) && (descriptor === "" || descriptor === statistic.descriptor);
}
