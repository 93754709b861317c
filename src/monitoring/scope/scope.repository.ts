/**
 * The scope of reads: which hosts a caller sees. A read of hosts, or of what belongs to hosts, takes a scope
 * and puts `inScope` into its condition.
 */
import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { errors } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { hostGroupMembers, hosts } from "../../platform/storage/schema.ts";
import { listOf, unindexed } from "../../platform/storage/words.ts";

/** The table of a moment database with the memberships of today, by which rights are judged. */
export const MEMBERS_TODAY = "members_today";

/**
 * The condition that a host is in the scope; undefined for all hosts, so that a read of all costs nothing more.
 * @param host the column with the id of the host
 */
export function inScope(host: SQLWrapper, scope: Scope): SQL | undefined {
  if (scope === "all") return undefined;
  if (scope.isToday)
    return sql`${unindexed(host)} in (select host_id from ${sql.raw(MEMBERS_TODAY)} where group_id in ${listOf(scope.groups)})`;
  const { hostId, groupId } = hostGroupMembers;
  // Otherwise SQLite would search by this condition rather than by the index of the read.
  return sql`${unindexed(host)} in (select ${hostId} from ${hostGroupMembers} where ${groupId} in ${listOf(scope.groups)})`;
}

/** SQL: the ids of the members of these groups. A condition on the member may follow. */
export function membersOf(groups: readonly number[]): SQL {
  const { hostId, groupId } = hostGroupMembers;
  return sql`select ${hostId} from ${hostGroupMembers} where ${groupId} in ${groups}`;
}

/** The condition that a group is in the scope, or has a member that is. @param group the column with its id */
export function ofVisibleGroup(group: SQLWrapper, scope: Scope): SQL | undefined {
  if (scope === "all") return undefined;
  return sql`(${group} in ${listOf(scope.groups)} or ${group} in
    (select other.group_id from ${hostGroupMembers} other where ${inScope(sql`other.host_id`, scope)}))`;
}

/** Whether a host exists and is in the scope. */
export function isInScope(db: Db, hostId: number, scope: Scope): boolean {
  return hasRow(db, hosts, and(eq(hosts.id, hostId), inScope(hosts.id, scope)));
}

/** Rejects a change of a host that the caller sees, but may not change. @throws ApiError 403 */
export function requireReach(db: Db, hostId: number, { act }: Reach): void {
  if (act !== "all" && !isInScope(db, hostId, act)) throw errors.notGranted();
}
