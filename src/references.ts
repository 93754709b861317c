/** How the objects that resources refer to are found: by id in the database, by name in the export file. */
import { allUsers, findUser } from "./accounts/users/users.repository.ts";
import { findChannel, findChannelByName } from "./alerting/channels/channels.repository.ts";
import { findSchedule, findScheduleByName } from "./alerting/on-call/on-call.repository.ts";
import { existingChannels, existingSchedules } from "./alerting/rules/rules.repository.ts";
import { existingGroups, findGroup, findGroupByName } from "./monitoring/groups/groups.repository.ts";
import { existingHosts, findHost, findHostOfAgent } from "./monitoring/hosts/hosts.repository.ts";
import type { ReferenceKind } from "./platform/resources/marks.ts";
import type { Ref, ReferredKind } from "./platform/resources/references.ts";

const numbers = (refs: readonly Ref[]) => refs.map(Number);

export const REFERRED_KINDS: Readonly<Record<ReferenceKind, ReferredKind>> = {
  host: {
    existing: (db, ids, scope) => existingHosts(db, numbers(ids), scope),
    nameOf: (db, id) => findHost(db, Number(id), "all")?.agentId,
    idOf: (db, agentId) => findHostOfAgent(db, agentId)?.id,
  },
  hostgroup: {
    existing: (db, ids, scope) => existingGroups(db, numbers(ids), scope),
    nameOf: (db, id) => findGroup(db, Number(id))?.name,
    idOf: (db, name) => findGroupByName(db, name)?.id,
  },
  user: {
    existing: (db) => new Set(allUsers(db).map(({ uname }) => uname)),
    nameOf: (db, uname) => findUser(db, String(uname))?.uname,
    idOf: (db, uname) => findUser(db, uname)?.uname,
  },
  channel: {
    existing: (db, ids, scope) => existingChannels(db, numbers(ids), scope),
    nameOf: (db, id) => findChannel(db, Number(id))?.name,
    idOf: (db, name) => findChannelByName(db, name)?.id,
  },
  schedule: {
    existing: (db, ids) => existingSchedules(db, numbers(ids)),
    nameOf: (db, id) => findSchedule(db, Number(id))?.name,
    idOf: (db, name) => findScheduleByName(db, name)?.id,
  },
};
