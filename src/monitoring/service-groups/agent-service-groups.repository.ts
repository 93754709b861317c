/** Stores the service groups that agents define. */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordRevision } from "../../platform/storage/revisions.repository.ts";
import { insertRows } from "../../platform/storage/rows.ts";
import { serviceGroupMembers } from "../../platform/storage/schema.ts";
import { idsIn, jsonList } from "../../platform/storage/words.ts";
import { ofHost } from "../hosts/hosts.repository.ts";

interface StoredGroup {
  id: number;
  name: string;
  /** Ids of the group's services, as a JSON array. */
  members: string;
}

/** Raw SQL: an agent can have hundreds of groups, and the query builder takes half a millisecond for each. */
const serviceGroupStatements = prepareOnce((db) => ({
  ofHost: db.$client.prepare<StoredGroup, [number]>(
    `select id, name, (
       select ${jsonList("service_id")} from service_group_members where group_id = service_groups.id
     ) as members
     from service_groups where host_id = ?`,
  ),
  insert: db.$client.prepare<{ id: number }, [number, string]>(
    "insert into service_groups (host_id, name) values (?, ?) returning id",
  ),
  delete: db.$client.prepare<null, [string]>(`delete from service_groups where id in ${idsIn("?")}`),
  deleteMembers: db.$client.prepare<null, [number]>("delete from service_group_members where group_id = ?"),
}));

const insertMember = insertRows(serviceGroupMembers, ["groupId", "serviceId"], "hostId");

function hasMembers(group: StoredGroup | undefined, serviceIds: readonly number[]): boolean {
  if (!group) return false;
  const members = new Set(JSON.parse(group.members) as number[]);
  return members.size === serviceIds.length && serviceIds.every((id) => members.has(id));
}

/**
 * Replaces the service groups of a host.
 * @param isNew whether the host is new, so that it has no past
 * @param groups service ids by group name
 * @param at unix seconds
 */
export function setServiceGroups(
  db: Db,
  { id: hostId, isNew }: { id: number; isNew: boolean },
  groups: ReadonlyMap<string, readonly number[]>,
  at: number,
): void {
  const statements = serviceGroupStatements(db);
  const stored = new Map(statements.ofHost.all(hostId).map((group) => [group.name, group]));
  const isSame =
    stored.size === groups.size && [...groups].every(([name, ids]) => hasMembers(stored.get(name), ids));
  if (isSame) return;
  const serviceGroups = Object.fromEntries(
    [...stored].map(([name, { members }]) => [name, JSON.parse(members) as number[]]),
  );
  if (!isNew) recordRevision(db, { ...ofHost(hostId, at), content: { serviceGroups } });
  const leftGroupIds = [...stored.values()].filter(({ name }) => !groups.has(name)).map(({ id }) => id);
  if (leftGroupIds.length > 0) statements.delete.run(JSON.stringify(leftGroupIds));
  for (const [name, serviceIds] of groups) {
    const present = stored.get(name);
    if (hasMembers(present, serviceIds)) continue;
    const groupId = present?.id ?? statements.insert.get(hostId, name)?.id;
    if (groupId === undefined) throw new Error(`service group "${name}" has no row`);
    if (present) statements.deleteMembers.run(groupId);
    for (const serviceId of serviceIds) insertMember(db, { hostId, groupId, serviceId });
  }
}
