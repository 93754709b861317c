import { sortKey } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { changeMembership } from "../events/group-counts.repository.ts";

/** Raw SQL, as an agent can name a hundred groups. */
const hostGroupStatements = prepareOnce((db) => ({
  byAgent: db.$client.prepare<{ id: number; name: string }, [number]>(
    `select id, name from host_group_members join host_groups on host_groups.id = group_id
     where host_id = ? and by_agent = 1`,
  ),
  find: db.$client.prepare<{ id: number }, [string]>("select id from host_groups where name = ?"),
  insert: db.$client.prepare<{ id: number }, [string, string]>(
    "insert into host_groups (name, name_key) values (?, ?) returning id",
  ),
  leave: db.$client.prepare<null, [number, number]>(
    "update host_group_members set by_agent = 0 where group_id = ? and host_id = ?",
  ),
  join: db.$client.prepare<{ groupId: number }, [number, number]>(
    `insert into host_group_members (group_id, host_id, by_agent) values (?, ?, 1)
     on conflict do nothing returning group_id as "groupId"`,
  ),
  mark: db.$client.prepare<null, [number, number]>(
    "update host_group_members set by_agent = 1 where group_id = ? and host_id = ?",
  ),
  deleteLeft: db.$client.prepare<{ groupId: number }, [number]>(
    `delete from host_group_members where host_id = ? and by_agent = 0 and by_hand = 0
     returning group_id as "groupId"`,
  ),
}));

/** Replaces the memberships that come from a host's agent, and creates groups that do not exist. */
export function setAgentHostGroups(db: Db, hostId: number, groupNames: readonly string[]): void {
  const { byAgent, find, insert, leave, join, mark, deleteLeft } = hostGroupStatements(db);
  const present = byAgent.all(hostId);
  const names = new Set(present.map(({ name }) => name));
  for (const name of groupNames) {
    if (names.has(name)) continue;
    const groupId = (find.get(name) ?? insert.get(name, sortKey(name)))?.id;
    if (groupId === undefined) continue;
    if (join.get(groupId, hostId)) changeMembership(db, hostId, groupId, 1);
    else mark.run(groupId, hostId);
  }
  const left = present.filter(({ name }) => !groupNames.includes(name));
  if (left.length === 0) return;
  for (const { id } of left) leave.run(id, hostId);
  for (const { groupId } of deleteLeft.all(hostId)) changeMembership(db, hostId, groupId, -1);
}
