/** Filters of users who may not concern themselves with every host. */
import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import { hostsTagged } from "../../monitoring/tags/tags.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";

/** Those whose filters can match a host of the scope, without the hosts and groups outside of it. */
export function narrowed<T extends { filter: PlaceFilter }>(db: Db, all: readonly T[], scope: Scope): T[] {
  if (scope === "all") return [...all];
  const hosts = existingHosts(db, [...new Set(all.flatMap(({ filter }) => filter.hostids ?? []))], scope);
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  return all.flatMap((one) => {
    const hostids = one.filter.hostids?.filter((id) => hosts.has(id));
    const hostgroupids = one.filter.hostgroupids?.filter((id) => groups.has(id));
    if (hostids?.length === 0 || hostgroupids?.length === 0) return [];
    const { tags } = one.filter;
    if (tags && hostsTagged(db, tags, scope).length === 0) return [];
    const filter = { ...one.filter, ...(hostids && { hostids }), ...(hostgroupids && { hostgroupids }) };
    return [{ ...one, filter }];
  });
}

/** Whether a filter matches only hosts that are in the scope now. */
export function isWithin(db: Db, filter: PlaceFilter, scope: Scope): boolean {
  if (isOfGroups(filter, scope)) return true;
  const { hostids } = filter;
  return hostids !== undefined && existingHosts(db, hostids, scope).size === new Set(hostids).size;
}
