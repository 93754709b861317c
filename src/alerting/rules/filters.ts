/** Builds filters from arguments. */

import { existingGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { errors } from "../../platform/http/errors.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventFilter, PlaceFilter } from "./event-filter.ts";
import type { FilterArguments, PlaceArguments } from "./filters.schemas.ts";

/** The new value if one is given, otherwise the old one; undefined if that is empty. */
function replaced<T extends string | number>(
  given: readonly (T | "")[] | undefined,
  before: T[] | undefined,
): T[] | undefined {
  if (given === undefined) return before;
  const items = [...new Set(itemsOf(given))];
  return items.length > 0 ? items : undefined;
}

/**
 * Rejects ids that do not exist. Ids that were in the filter before are allowed, since their object may have
 * been deleted.
 * @throws ApiError 400 that names the argument
 */
export function rejectUnknownIds(
  argument: string,
  what: string,
  ids: readonly number[] | undefined,
  before: readonly number[] | undefined,
  existing: (ids: readonly number[]) => ReadonlySet<number>,
): void {
  const added = (ids ?? []).filter((id) => !before?.includes(id));
  if (added.length === 0) return;
  const known = existing(added);
  const unknown = added.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw errors.badArgument(argument, `the id of a ${what}; there is no ${what} ${unknown}`);
}

function defined<T extends object>(filter: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T;
}

/** Builds a filter from arguments on top of the previous one. @throws ApiError 400 that names the argument */
export function placeFilterOf(db: Db, given: PlaceArguments, before: PlaceFilter): PlaceFilter {
  const hostids = replaced(given.hostid, before.hostids);
  const hostgroupids = replaced(given.hostgroupid, before.hostgroupids);
  rejectUnknownIds("hostid", "host", hostids, before.hostids, (ids) => existingHosts(db, ids, "all"));
  rejectUnknownIds("hostgroupid", "host group", hostgroupids, before.hostgroupids, (ids) =>
    existingGroups(db, ids, "all"),
  );
  const servicenames = replaced(given.servicename, before.servicenames);
  const tags = replaced(given.tag, before.tags);
  return defined<PlaceFilter>({ hostids, hostgroupids, tags, servicenames });
}

/** Builds a filter from arguments on top of the previous one. @throws ApiError 400 that names the argument */
export function eventFilterOf(db: Db, given: FilterArguments, before: EventFilter): EventFilter {
  const types = given.eventtype ?? before.eventtypes;
  return defined<EventFilter>({
    ...placeFilterOf(db, given, before),
    servicegroups: replaced(given.servicegroup, before.servicegroups),
    servicetypes: replaced(given.servicetype, before.servicetypes),
    eventtypes: types === 0 ? undefined : types,
    states: replaced(given.state, before.states),
  });
}
