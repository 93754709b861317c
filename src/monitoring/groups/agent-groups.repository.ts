import { sortKey } from "../../platform/sort-key.ts";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { recordRevision } from "../../platform/storage/revisions.repository.ts";
import { FALSE, HIDDEN, TRUE } from "../../platform/storage/words.ts";
import { changeMembership } from "../events/group-counts.repository.ts";
import { ofMember } from "./groups.repository.ts";

/** The most groups that only agents have named. Beyond that, further new names are left out. */
const MAX_AGENT_GROUPS = 10_000;

/** How many groups agents may still create. Counted once for all messages of a transaction. */
const roomForGroups = oncePerTransaction((db) => {
  const { n } = hostGroupStatements(db).count.get(MAX_AGENT_GROUPS) ?? { n: 0 };
  return { left: MAX_AGENT_GROUPS - n };
});

/** Raw SQL, as an agent can name a hundred groups. */
const hostGroupStatements = prepareOnce((db) => ({
  byAgent: db.$client.prepare<{ id: number; name: string; byHand: number }, [number]>(
    `select id, name, case when by_hand then 1 else 0 end as "byHand" from host_group_members join host_groups on host_groups.id = group_id
     where host_id = ${HIDDEN}? and by_agent = ${TRUE}`,
  ),
  find: db.$client.prepare<{ id: number }, [string]>("select id from host_groups where name = ?"),
  count: db.$client.prepare<{ n: number }, [number]>(
    `select count(*) as n from (select 1 from host_groups where named_by_hand = ${FALSE} limit ?) as counted`,
  ),
  insert: db.$client.prepare<{ id: number }, [string, string]>(
    "insert into host_groups (name, name_key, named_by_hand) values (?, ?, false) returning id",
  ),
  leave: db.$client.prepare<null, [number, number]>(
    `update host_group_members set by_agent = ${FALSE} where group_id = ? and host_id = ?`,
  ),
  join: db.$client.prepare<{ groupId: number }, [number, number]>(
    `insert into host_group_members (group_id, host_id, by_agent) values (?, ?, true)
     on conflict do nothing returning group_id as "groupId"`,
  ),
  mark: db.$client.prepare<null, [number, number]>(
    `update host_group_members set by_agent = ${TRUE} where group_id = ? and host_id = ?`,
  ),
  deleteLeft: db.$client.prepare<{ groupId: number }, [number]>(
    `delete from host_group_members where host_id = ? and by_agent = ${FALSE} and by_hand = ${FALSE}
     returning group_id as "groupId"`,
  ),
}));

/** Creates a group that an agent names. @returns its id; undefined when there are too many */
function createForAgent(db: Db, name: string): number | undefined {
  const room = roomForGroups(db);
  if (room.left <= 0) return undefined;
  room.left--;
  return hostGroupStatements(db).insert.get(name, sortKey(name))?.id;
}

/**
 * Replaces the memberships that come from a host's agent, and creates groups that do not exist.
 * @param isNew whether the host is new, so that it has no past
 * @param at unix seconds
 * @returns how many names were left out because agents have created too many groups
 */
export function setAgentHostGroups(
  db: Db,
  { id: hostId, isNew }: { id: number; isNew: boolean },
  groupNames: readonly string[],
  at: number,
): number {
  const { byAgent, find, leave, join, mark, deleteLeft } = hostGroupStatements(db);
  const present = byAgent.all(hostId);
  const names = new Set(present.map(({ name }) => name));
  let leftOut = 0;
  for (const name of groupNames) {
    if (names.has(name)) continue;
    const groupId = find.get(name)?.id ?? createForAgent(db, name);
    if (groupId === undefined) {
      leftOut++;
      continue;
    }
    const hasJoined = join.get(groupId, hostId);
    const content = hasJoined ? null : { byHand: true, byAgent: false, name };
    if (!isNew) recordRevision(db, { ...ofMember(groupId, hostId, at), content });
    if (hasJoined) changeMembership(db, hostId, groupId, 1);
    else mark.run(groupId, hostId);
  }
  const leftGroups = present.filter(({ name }) => !groupNames.includes(name));
  if (leftGroups.length === 0) return leftOut;
  for (const { id, byHand, name } of leftGroups) {
    const content = { byHand: byHand === 1, byAgent: true, name };
    recordRevision(db, { ...ofMember(id, hostId, at), content });
    leave.run(id, hostId);
  }
  for (const { groupId } of deleteLeft.all(hostId)) changeMembership(db, hostId, groupId, -1);
  return leftOut;
}
