/** References of rules, limits and maintenance: ids in the database, names in the file. */
import * as v from "valibot";
import { findChannelByName } from "../../alerting/channels/channels.repository.ts";
import { findGroup, findGroupByName } from "../../monitoring/groups/groups.repository.ts";
import { findHost, findHostOfAgent } from "../../monitoring/hosts/hosts.repository.ts";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Db } from "../../platform/storage/open.ts";
import { quoted } from "./section.ts";

const texts = v.optional(v.array(v.string()));

export const placeEntries = {
  /** Agent ids. */
  hosts: texts,
  hostgroups: texts,
  tags: texts,
  servicenames: texts,
};
const placeSchema = v.strictObject(placeEntries);
type NamedPlace = v.InferOutput<typeof placeSchema>;

function named(ids: readonly number[] | undefined, nameOf: (id: number) => string | undefined) {
  return ids?.map(nameOf).filter((name) => name !== undefined);
}

/** Whether all objects of a filter were deleted: without the condition it would match everything. */
function isLost(ids: readonly number[] | undefined, names: readonly string[] | undefined): boolean {
  return ids !== undefined && names?.length === 0;
}

/** A filter with names in place of ids, without deleted objects. `lost`: it matches nothing and must not match more. */
export function namedFilter<T extends PlaceFilter>(db: Db, filter: T) {
  const { hosts: hostIds, hostgroups: groupIds, tags, servicenames, ...others } = filter;
  const hosts = named(hostIds, (id) => findHost(db, id, "all")?.agentId);
  const hostgroups = named(groupIds, (id) => findGroup(db, id)?.name);
  return {
    filter: {
      ...(hosts && { hosts }),
      ...(hostgroups && { hostgroups }),
      ...(tags && { tags }),
      ...(servicenames && { servicenames }),
      ...others,
    },
    lost: isLost(hostIds, hosts) || isLost(groupIds, hostgroups),
  };
}

/** As an argument. An empty text clears the stored value. */
export function orNone<T>(items: readonly T[] | undefined): (T | "")[] {
  return items && items.length > 0 ? [...items] : [""];
}

/** @throws ApiError if there is no host with this agent id */
export function idOfHost(db: Db, agentId: string): number {
  const host = findHostOfAgent(db, agentId);
  if (!host) throw errors.badRequest(`There is no host with the agent id ${quoted(agentId)}`);
  return host.id;
}

/** A filter by ids, as arguments. @param enabled of what has the filter @throws ApiError 400 */
export function placeArgumentsOf(db: Db, place: NamedPlace, enabled: boolean) {
  const { hosts, hostgroups, tags, servicenames } = place;
  const empty = Object.entries(place).find(([, names]) => names?.length === 0)?.[0];
  if (enabled && empty !== undefined)
    throw errors.badRequest(
      `filter.${empty} is empty, which would mean all of them: name some, leave it out, or set enabled to false`,
    );
  return {
    hostid: orNone(hosts?.map((agentId) => idOfHost(db, agentId))),
    hostgroupid: orNone(hostgroups?.map((name) => idOfGroup(db, name))),
    tag: orNone(tags),
    servicename: orNone(servicenames),
  };
}

/** @throws ApiError if there is no such group */
export function idOfGroup(db: Db, name: string): number {
  const group = findGroupByName(db, name);
  if (!group) throw errors.badRequest(`There is no host group ${quoted(name)}`);
  return group.id;
}

/** @throws ApiError 400 if there is no such channel */
export function idOfChannel(db: Db, name: string): number {
  const channel = findChannelByName(db, name);
  if (!channel) throw errors.badRequest(`There is no channel ${quoted(name)}`);
  return channel.id;
}
