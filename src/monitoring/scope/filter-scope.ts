/** Checks filters of users who may change only what applies to hosts in their groups. Pure. */
import type { Scope } from "../../platform/http/scope.ts";

/**
 * Whether a filter can only match members of groups in the scope, including hosts that join later. A filter by hosts
 * can match others, since hosts can leave a group.
 * @param filter ids of its host groups; undefined if it does not filter by group
 */
export function isOfGroups({ hostgroups }: { hostgroups?: readonly number[] }, scope: Scope): boolean {
  return scope === "all" || (hostgroups?.every((id) => scope.groups.includes(id)) ?? false);
}

/**
 * Whether a caller may have new hosts join these groups: there must be at least one, and the caller must manage all of
 * them, so that the caller manages the hosts.
 */
export function isJoinManaged({ hostgroups }: { hostgroups: readonly number[] }, scope: Scope): boolean {
  return scope === "all" || (hostgroups.length > 0 && isOfGroups({ hostgroups }, scope));
}
