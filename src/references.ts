/** How the objects that resources refer to are found: by id in the database, by name in the export file. */
import { existingUsers, findUser } from "./accounts/users/users.repository.ts";
import { existingChannels, findChannel, findChannelByName } from "./alerting/channels/channels.repository.ts";
import {
  existingSchedules,
  findSchedule,
  findScheduleByName,
} from "./alerting/on-call/on-call.repository.ts";
import { namedRules, ruleRows } from "./alerting/rules/rules.repository.ts";
import { nameIdOf } from "./monitoring/events/events.repository.ts";
import { existingGroups, findGroup, findGroupByName } from "./monitoring/groups/groups.repository.ts";
import { existingHosts, findHost, findHostOfAgent } from "./monitoring/hosts/hosts.repository.ts";
import { placeOfService, serviceAt, serviceNameOf } from "./monitoring/places/service-names.repository.ts";
import {
  existingServices,
  hasServiceNameId,
  isServiceGroupInScope,
} from "./monitoring/places/visible-names.repository.ts";
import { isOfGroups } from "./monitoring/scope/filter-scope.ts";
import { errors } from "./platform/http/errors.ts";
import type { ReferenceKind } from "./platform/resources/marks.ts";
import type { Ref, ReferredKind } from "./platform/resources/references.ts";
import type { Db } from "./platform/storage/open.ts";

const numbers = (refs: readonly Ref[]) => refs.map(Number);

/** An export leaves out users who sign in elsewhere, so the error of an import says how to create them here. */
const noSuchUser = (uname: string) =>
  errors.badRequest(
    `there is no user "${uname}". A user of an OpenID provider must have signed in here once; ` +
      "a user of a proxy, too, or be added with muster user add NAME --proxy",
  );

/** The id of the service `AGENT ID/NAME`. Either may contain slashes. */
function serviceNamed(db: Db, text: string): number | undefined {
  for (let at = text.indexOf("/"); at >= 0; at = text.indexOf("/", at + 1)) {
    const host = findHostOfAgent(db, text.slice(0, at));
    if (host) return serviceAt(db, host.id, text.slice(at + 1));
  }
  return undefined;
}

/** How objects of each kind are looked up. The name of a host is its agent id. */
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
  service: {
    existing: (db, ids, scope) => existingServices(db, numbers(ids), scope),
    nameOf: (db, id) => {
      const place = placeOfService(db, Number(id));
      return place && `${place.host}/${place.name}`;
    },
    idOf: serviceNamed,
    comesLater: true,
  },
  servicename: {
    existing: (db, ids, scope) => {
      // An imported filter may be about a name that no service has yet.
      const isThere = (id: number) =>
        scope === "all" ? serviceNameOf(db, id) !== undefined : hasServiceNameId(db, id, scope);
      return new Set(numbers(ids).filter(isThere));
    },
    nameOf: (db, id) => serviceNameOf(db, Number(id)),
    idOf: nameIdOf,
  },
  servicegroup: {
    existing: (db, ids, scope) => new Set(numbers(ids).filter((id) => isServiceGroupInScope(db, id, scope))),
    // Service groups of several hosts can have the same name, so none is exported by name.
    nameOf: () => undefined,
    idOf: () => undefined,
  },
  user: {
    existing: (db, unames) => existingUsers(db, unames.map(String)),
    nameOf: (db, uname) => findUser(db, String(uname))?.uname,
    idOf: (db, uname) => {
      const user = findUser(db, uname);
      if (!user) throw noSuchUser(uname);
      return user.uname;
    },
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
  rule: {
    existing: (db, ids, scope) => {
      const rules = namedRules(db, numbers(ids)).filter(({ filter }) => isOfGroups(filter, scope));
      return new Set(rules.map(({ id }) => id));
    },
    nameOf: (db, id) => ruleRows.find(db, Number(id))?.name,
    idOf: (db, name) => ruleRows.findByKey(db, name)?.id,
  },
};
