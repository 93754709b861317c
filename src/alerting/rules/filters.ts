import { placeFilterOf } from "../../monitoring/places/place-filter-arguments.ts";
import { defined, replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventFilter } from "./event-filter.ts";
import type { FilterArguments } from "./filters.schemas.ts";

/** As `placeFilterOf`, with conditions on events. @throws ApiError 400 that names the argument */
export function eventFilterOf(
  db: Db,
  given: FilterArguments,
  before: EventFilter,
  scope: Scope,
): EventFilter {
  const types = given.eventtype ?? before.eventtypes;
  return defined<EventFilter>({
    ...placeFilterOf(db, given, before, scope),
    servicegroups: replaced(given.servicegroup, before.servicegroups),
    servicetypes: replaced(given.servicetype, before.servicetypes),
    eventtypes: types === 0 ? undefined : types,
    states: replaced(given.state, before.states),
    severities: replaced(given.severity, before.severities),
  });
}
