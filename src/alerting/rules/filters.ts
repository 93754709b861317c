/** Builds filters from arguments. */

import { existingGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { defined, rejectUnknownIds, replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventFilter, PlaceFilter } from "./event-filter.ts";
import type { FilterArguments, PlaceArguments } from "./filters.schemas.ts";

/**
 * Builds a filter from arguments on top of the previous one.
 * @param scope hosts and groups outside of it are treated as if they did not exist
 * @throws ApiError 400 that names the argument
 */
export function placeFilterOf(db: Db, given: PlaceArguments, before: PlaceFilter, scope: Scope): PlaceFilter {
  const hostids = replaced(given.hostid, before.hostids);
  const hostgroupids = replaced(given.hostgroupid, before.hostgroupids);
  rejectUnknownIds("hostid", "host", hostids, before.hostids, (ids) => existingHosts(db, ids, scope));
  rejectUnknownIds("hostgroupid", "host group", hostgroupids, before.hostgroupids, (ids) =>
    existingGroups(db, ids, scope),
  );
  const servicenames = replaced(given.servicename, before.servicenames);
  const tags = replaced(given.tag, before.tags);
  return defined<PlaceFilter>({ hostids, hostgroupids, tags, servicenames });
}

/** The same with conditions on events. @throws ApiError 400 that names the argument */
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
