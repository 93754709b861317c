import type { HostGroups } from "../../accounts/grants/grants.service.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { allHosts, existingHosts } from "../hosts/hosts.repository.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import {
  agentMembers,
  allGroups,
  allMemberships,
  deleteGroup,
  existingGroups,
  findGroup,
  findGroupByName,
  insertGroup,
  joinByHand,
  leaveByHand,
  renameGroup,
} from "./groups.repository.ts";
import type { Members } from "./groups.schemas.ts";

export const groupExists = declareTaken("group.exists", "group");

/** All groups with the ids of their members. */
function groupsWithMembers(db: Db, scope: Scope) {
  const members = Map.groupBy(allMemberships(db, scope), (membership) => membership.groupId);
  return allGroups(db, scope).map(({ id, name }) => ({
    id,
    name,
    hosts: (members.get(id) ?? []).map(({ hostId }) => hostId),
  }));
}

/** The groups of a scope with the ids of their members, and its hosts; of all hosts, also those of no group. */
export function groupList(db: Db, scope: Scope) {
  const hosts = allHosts(db, scope).map(({ id, hostname }) => ({ id, name: hostname }));
  const groups = groupsWithMembers(db, scope).filter(({ id }) => isOfGroups({ hostgroups: [id] }, scope));
  return { hosts, groups };
}

/** The same groups, for users who may not change them, as far as the scope reaches. */
export function groupStatusList(db: Db, scope: Scope) {
  const records = groupsWithMembers(db, scope);
  return { totalRecords: records.length, records };
}

/** What accounts ask about host groups. */
export function hostGroupsOf(db: Db): HostGroups {
  return {
    existing: (ids) => existingGroups(db, ids, "all"),
    idOf: (name) => findGroupByName(db, name)?.id,
  };
}

/** Host groups managed by administrators. Memberships that agents request can only be ended by the agents. */
export class Groups {
  constructor(
    private readonly db: Db,
    private readonly hostCache: KnownHosts,
  ) {}

  list() {
    return groupList(this.db, "all");
  }

  /** @returns its id @throws ApiError 409 when the name is taken */
  create(name: string): number {
    return transaction(this.db, () => {
      this.#refuseTaken(name);
      return insertGroup(this.db, name);
    });
  }

  /** Renames a group. @throws ApiError 404, 409 when another one has the name */
  rename(id: number, name: string): void {
    transaction(this.db, () => {
      const group = this.#find(id);
      if (group.name === name) return;
      this.#refuseTaken(name);
      renameGroup(this.db, id, name);
      this.#letAgentsAskAgain(id);
    });
  }

  /** Deletes a group, not its hosts. An agent that names it creates it again. @throws ApiError 404 */
  delete(id: number): void {
    transaction(this.db, () => {
      this.#find(id);
      deleteGroup(this.db, id);
    });
    // Agents ask for their groups again, and limits can be about members of a group.
    this.hostCache.forgetAll();
  }

  /** Adds hosts: all of them or none. @returns how many were not members before @throws ApiError 404 */
  add({ id, hostid }: Members): number {
    return this.#each(id, hostid, joinByHand);
  }

  /** Removes hosts: all of them or none. @returns how many are no longer members @throws ApiError 404 */
  remove({ id, hostid }: Members): number {
    return this.#each(id, hostid, leaveByHand);
  }

  #each(
    id: number,
    hostIds: readonly number[],
    act: (db: Db, groupId: number, hostId: number) => boolean,
  ): number {
    return transaction(this.db, () => {
      this.#find(id);
      const wanted = [...new Set(hostIds)];
      const known = existingHosts(this.db, wanted, "all");
      const unknown = wanted.find((hostId) => !known.has(hostId));
      if (unknown !== undefined) throw errors.notFound("host", unknown);
      const changed = wanted.filter((hostId) => act(this.db, id, hostId));
      for (const hostId of changed) this.hostCache.forget(hostId);
      return changed.length;
    });
  }

  /** Drops the members from the host cache, so that their next messages request their groups again. */
  #letAgentsAskAgain(groupId: number): void {
    for (const hostId of agentMembers(this.db, groupId)) this.hostCache.forget(hostId);
  }

  #refuseTaken(name: string): void {
    if (findGroupByName(this.db, name)) throw groupExists(name);
  }

  #find(id: number) {
    return found(findGroup(this.db, id), "group", id);
  }
}
