/** Filters of users who may not change what concerns every host. Pure. */
import type { Scope } from "../../platform/http/scope.ts";

/**
 * Whether a filter matches only members of groups of the scope, also those that join later. A filter by hosts does
 * not, as hosts can leave a group.
 * @param filter the ids of its host groups; undefined: it does not ask for groups
 */
export function isOfGroups({ hostgroups }: { hostgroups?: readonly number[] }, scope: Scope): boolean {
  return scope === "all" || (hostgroups?.every((id) => scope.groups.includes(id)) ?? false);
}
