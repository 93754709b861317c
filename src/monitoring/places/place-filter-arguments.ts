import { defined, rejectUnknownIds, replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { existingGroups } from "../groups/groups.repository.ts";
import { existingHosts } from "../hosts/hosts.repository.ts";
import type { PlaceFilter } from "./place-filter.ts";
import type { PlaceArguments } from "./places.schemas.ts";

/**
 * Builds a filter from arguments on top of the previous one.
 * @param scope hosts and groups outside of it are treated as if they did not exist
 * @throws ApiError 400 that names the argument
 */
export function placeFilterOf(db: Db, given: PlaceArguments, before: PlaceFilter, scope: Scope): PlaceFilter {
  const hosts = replaced(given.hostid, before.hosts);
  const hostgroups = replaced(given.hostgroupid, before.hostgroups);
  // Ids of the previous filter may belong to deleted objects. To a caller who does not see all, none of them is known.
  const kept = scope === "all" ? before : {};
  rejectUnknownIds("hostid", "host", given.hostid && hosts, kept.hosts, (ids) =>
    existingHosts(db, ids, scope),
  );
  rejectUnknownIds("hostgroupid", "host group", given.hostgroupid && hostgroups, kept.hostgroups, (ids) =>
    existingGroups(db, ids, scope),
  );
  const servicenames = replaced(given.servicename, before.servicenames);
  const tags = replaced(given.tag, before.tags);
  return defined<PlaceFilter>({ hosts, hostgroups, tags, servicenames });
}
