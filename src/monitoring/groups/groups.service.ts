import type * as v from "valibot";
import type { HostGroups } from "../../accounts/grants/grants.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { allHosts, existingHosts } from "../hosts/hosts.repository.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import {
  allGroups,
  allMemberships,
  deleteGroup,
  existingGroups,
  findGroup,
  findGroupByName,
  findVisibleGroup,
  insertGroup,
  joinByHand,
  leaveByHand,
  renameGroup,
  setGroupTarget,
} from "./groups.repository.ts";
import type { Members, targetArguments } from "./groups.schemas.ts";

export const groupExists = declareTaken("group.exists", "group");

/** All groups with the ids of their members. */
function groupsWithMembers(db: Db, scope: Scope) {
  const members = Map.groupBy(allMemberships(db, scope), (membership) => membership.groupId);
  return allGroups(db, scope).map(({ id, name, target }) => ({
    id,
    name,
    hosts: (members.get(id) ?? []).map(({ hostId }) => hostId),
    target,
  }));
}

/** The groups of a scope with the ids of their members, and its hosts. The scope "all" includes hosts in no group. */
export function groupList(db: Db, scope: Scope) {
  const hosts = allHosts(db, scope).map(({ id, hostname }) => ({ id, name: hostname }));
  const groups = groupsWithMembers(db, scope).filter(({ id }) => isOfGroups({ hostgroups: [id] }, scope));
  return { hosts, groups };
}

/** The groups within the scope, for users who cannot change them. */
export function groupStatusList(db: Db, scope: Scope) {
  const records = groupsWithMembers(db, scope);
  return { totalRecords: records.length, records };
}

/** What the accounts module reads about host groups. */
export function hostGroupsOf(db: Db): HostGroups {
  return {
    existing: (ids) => existingGroups(db, ids, "all"),
    idOf: (name) => findGroupByName(db, name)?.id,
  };
}

/** Host groups managed by administrators. Only agents can end the memberships that they request. */
export class Groups {
  constructor(
    private readonly db: Db,
    private readonly hostCache: KnownHosts,
    private readonly clock: Clock,
  ) {}

  /** Creates a group. @returns its id @throws ApiError 409 if the name is taken */
  create(name: string): number {
    return transaction(this.db, () => {
      this.#refuseTaken(name);
      return insertGroup(this.db, name, this.clock.now());
    });
  }

  /** Renames a group. @throws ApiError 404; 409 if the name is taken */
  rename(id: number, name: string): void {
    transaction(this.db, () => {
      const group = this.#find(id);
      if (group.name === name) return;
      this.#refuseTaken(name);
      renameGroup(this.db, group, name, this.clock.now());
      // Agents that name the group request their groups again.
      this.hostCache.forgetAll();
    });
  }

  /** The target uptime of a group, percent; null if it has none, or does not exist. */
  target(id: number): number | null {
    return findGroup(this.db, id)?.target ?? null;
  }

  /**
   * Sets the target uptime of a group, or removes it.
   * @param reach the groups that the caller sees and may change
   * @throws ApiError 404, 403
   */
  setTarget({ id, target }: v.InferOutput<typeof targetArguments>, { view, act }: Reach): void {
    transaction(this.db, () => {
      const group = found(findVisibleGroup(this.db, id, view), "group", id);
      if (!isOfGroups({ hostgroups: [id] }, act)) throw errors.notGranted();
      setGroupTarget(this.db, group, target, this.clock.now());
    });
  }

  /** Deletes a group, not its hosts. An agent that names it creates it again. @throws ApiError 404 */
  delete(id: number): void {
    transaction(this.db, () => {
      this.#find(id);
      deleteGroup(this.db, id, this.clock.now());
    });
    // Agents request their groups again, and limits can be about members of a group.
    this.hostCache.forgetAll();
  }

  /** Adds hosts: all of them or none. @returns how many were not members before @throws ApiError 404 */
  add({ id, hostid }: Members): number {
    return this.#changeMembers(id, hostid, joinByHand);
  }

  /** Removes hosts: all of them or none. @returns how many are no longer members @throws ApiError 404 */
  remove({ id, hostid }: Members): number {
    return this.#changeMembers(id, hostid, leaveByHand);
  }

  /** Throws what `add` and `remove` would. @throws ApiError 404 */
  checkMembers({ id, hostid }: { id: number; hostid: readonly number[] }): void {
    this.#find(id);
    const existing = existingHosts(this.db, hostid, "all");
    const unknown = hostid.find((hostId) => !existing.has(hostId));
    if (unknown !== undefined) throw errors.notFound("host", unknown);
  }

  #changeMembers(
    id: number,
    hostIds: readonly number[],
    act: (db: Db, groupId: number, hostId: number, at: number) => boolean,
  ): number {
    return transaction(this.db, () => {
      this.checkMembers({ id, hostid: hostIds });
      const now = this.clock.now();
      const changed = [...new Set(hostIds)].filter((hostId) => act(this.db, id, hostId, now));
      for (const hostId of changed) this.hostCache.forget(hostId);
      return changed.length;
    });
  }

  #refuseTaken(name: string): void {
    if (findGroupByName(this.db, name)) throw groupExists(name);
  }

  #find(id: number) {
    return found(findGroup(this.db, id), "group", id);
  }
}
