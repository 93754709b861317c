/** The hosts and services that a rule, maintenance or a limit selects. Pure functions. */
import { matchesName } from "../../platform/name-pattern.ts";
import { matchesTags } from "../tags/tag.ts";

/**
 * Selects hosts and services. An absent condition matches everything; the id of a deleted object matches
 * nothing.
 */
export interface PlaceFilter {
  hosts?: number[];
  hostgroups?: number[];
  /** As `matchesTags` reads them. */
  tags?: string[];
  /** `*` stands for any number of characters. */
  servicenames?: string[];
}

/** A host, with the fields that filters use. */
export interface FilteredHost {
  hostId: number;
  hostGroupIds: readonly number[];
  tags: readonly string[];
}

/** The host or service of an event. */
export interface Place extends FilteredHost {
  serviceName: string;
}

/** Leaves out empty conditions, since an empty list would match nothing. */
export function withoutEmpty<T extends Record<string, readonly unknown[]>>(conditions: T): Partial<T> {
  return Object.fromEntries(Object.entries(conditions).filter(([, items]) => items.length > 0)) as Partial<T>;
}

/** Whether one of the allowed items passes the test. Without a list, everything is allowed. */
export function holds<T>(allowed: readonly T[] | undefined, test: (item: T) => boolean): boolean {
  return allowed === undefined || allowed.some(test);
}

/** Whether the filter matches the host, ignoring its conditions on services. */
export function matchesHost(filter: PlaceFilter, host: FilteredHost): boolean {
  return (
    holds(filter.hosts, (id) => id === host.hostId) &&
    holds(filter.hostgroups, (id) => host.hostGroupIds.includes(id)) &&
    (!filter.tags || matchesTags(filter.tags, host.tags))
  );
}

/** Whether the filter matches the service with this name, on a host that it matches. */
export function matchesServiceName({ servicenames }: PlaceFilter, name: string): boolean {
  return holds(servicenames, (pattern) => matchesName(pattern, name));
}

/** Whether the filter matches the host and service. */
export function matchesPlace(filter: PlaceFilter, place: Place): boolean {
  return matchesHost(filter, place) && matchesServiceName(filter, place.serviceName);
}
