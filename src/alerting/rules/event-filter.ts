/** Filters of rules. Pure functions. */
import { CHANGE, ERROR } from "../../monit/event-types.ts";
import { holds, matchesPlace, type Place, type PlaceFilter } from "../../monitoring/places/place-filter.ts";

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
export interface EventSubject extends Place {
  /** Names of the service groups in its agent's control file. */
  serviceGroups: readonly string[];
  serviceType: number;
  eventType: number;
  state: number;
  /** 1 and 2 of an error by a limit, otherwise 0. */
  severity: number;
}

const DEFAULT_STATES: readonly number[] = [ERROR, CHANGE];

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
