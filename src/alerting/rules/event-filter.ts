/** Filters of rules and maintenance windows. Pure functions. */
import { CHANGE, ERROR } from "../../monit/event-types.ts";
import { matchesTags } from "../../monitoring/tags/tag.ts";
import { matchesName } from "../../platform/name-pattern.ts";

/**
 * Selects hosts and services. An absent condition matches everything; the id of a deleted object matches
 * nothing.
 */
export interface PlaceFilter {
  hostids?: number[];
  hostgroupids?: number[];
  /** As `matchesTags` reads them. */
  tags?: string[];
  /** `*` stands for any number of characters. */
  servicenames?: string[];
}

/** Every condition that is present must match; of a list but tags, at least one item. Empty lists are never stored. */
export interface EventFilter extends PlaceFilter {
  servicegroups?: string[];
  servicetypes?: number[];
  /** Sum of event type codes; 0 or absent: all. */
  eventtypes?: number;
  /** Absent: errors and changes. */
  states?: number[];
  /** Of Muster's limits: 1 warning, 2 critical; 0: what agents report. Absent: all. */
  severities?: number[];
}

/** The properties of an event that filters look at. */
export interface EventSubject {
  hostId: number;
  hostGroupIds: readonly number[];
  /** Tags of the host. */
  tags: readonly string[];
  serviceName: string;
  /** Names of the service groups in its agent's control file. */
  serviceGroups: readonly string[];
  serviceType: number;
  eventType: number;
  state: number;
  /** 1 and 2 of an error by a limit, otherwise 0. */
  severity: number;
}

/** The host or service of an event. */
export type Place = Pick<EventSubject, "hostId" | "hostGroupIds" | "tags" | "serviceName">;

const DEFAULT_STATES: readonly number[] = [ERROR, CHANGE];

function holds<T>(wanted: readonly T[] | undefined, test: (one: T) => boolean): boolean {
  return wanted === undefined || wanted.some(test);
}

/** Whether the filter matches the host and service. */
export function matchesPlace(filter: PlaceFilter, subject: Place): boolean {
  return (
    holds(filter.hostids, (id) => id === subject.hostId) &&
    holds(filter.hostgroupids, (id) => subject.hostGroupIds.includes(id)) &&
    (!filter.tags || matchesTags(filter.tags, subject.tags)) &&
    holds(filter.servicenames, (pattern) => matchesName(pattern, subject.serviceName))
  );
}

/** Whether the filter matches the event. */
export function matches(filter: EventFilter, subject: EventSubject): boolean {
  return (
    (filter.states ?? DEFAULT_STATES).includes(subject.state) &&
    (!filter.eventtypes || (filter.eventtypes & subject.eventType) !== 0) &&
    holds(filter.severities, (severity) => severity === subject.severity) &&
    holds(filter.servicetypes, (type) => type === subject.serviceType) &&
    holds(filter.servicegroups, (name) => subject.serviceGroups.includes(name)) &&
    matchesPlace(filter, subject)
  );
}
