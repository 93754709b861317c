/** Filters of rules. Pure functions. */
import { CHANGE, ERROR } from "../../monit/event-types.ts";
import { holds, matchesPlace, type Place } from "../../monitoring/places/place-filter.ts";
import type { RuleContent } from "./rules.schemas.ts";

/** Every condition that is present must match: of a list, at least one item; of tags, each name. */
export type EventFilter = RuleContent["filter"];

/** The properties of an event that filters look at. */
export interface EventSubject extends Place {
  /** Names of the service groups in its agent's control file. */
  serviceGroups: readonly string[];
  serviceType: number;
  eventType: number;
  state: number;
  /** 1 or 2 for an error by a limit, otherwise 0. */
  severity: number;
}

const DEFAULT_STATES: readonly number[] = [ERROR, CHANGE];

/** Whether the filter matches the event. */
export function matches(filter: EventFilter, subject: EventSubject): boolean {
  return (
    filter.about === undefined &&
    (filter.states ?? DEFAULT_STATES).includes(subject.state) &&
    (!filter.eventtypes || (filter.eventtypes & subject.eventType) !== 0) &&
    holds(filter.severities, (severity) => severity === subject.severity) &&
    holds(filter.servicetypes, (type) => type === subject.serviceType) &&
    holds(filter.servicegroups, (name) => subject.serviceGroups.includes(name)) &&
    matchesPlace(filter, subject)
  );
}
