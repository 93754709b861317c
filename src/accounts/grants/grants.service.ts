import type { Account } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { readExternalLevels } from "../../platform/http/external-levels.ts";
import {
  ALL_RIGHTS,
  LEVELS,
  type Level,
  NOTHING,
  type Rights,
  type Scope,
} from "../../platform/http/scope.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { existingUser } from "../users/users.service.ts";
import { type Grant, grantsOf, setGrants } from "./grants.repository.ts";
import type { GrantArguments } from "./grants.schemas.ts";

/** What a user without restrictions may do: see everything and take care of failures. */
const OF_EVERY_USER: Rights = { view: "all", respond: "all", operate: NOTHING, manage: NOTHING };

/** The groups with at least a level. */
function scopeOf(grants: readonly Grant[], least: Level): Scope {
  const isEnough = ({ level }: Grant) => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
  return { groups: grants.filter(isEnough).map(({ groupid }) => groupid) };
}

/** Grants as the audit log has them. */
export function textOf(grants: readonly Grant[]): string {
  return grants.map(({ groupid, level }) => `${groupid} ${level}`).join(", ");
}

/** What accounts ask about host groups. */
export interface HostGroups {
  /** Which of these ids are ids of host groups. */
  existing(ids: readonly number[]): ReadonlySet<number>;
  idOf(name: string): number | undefined;
}

/** Roles per host group: what users may see and do with the hosts of which groups. */
export class Grants {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly hostGroups: HostGroups,
  ) {}

  /** Rights are looked up for each request, so that a change takes effect with the next one. */
  rightsOf({ id, admin, restricted }: Pick<Account, "id" | "admin" | "restricted">): Rights {
    if (admin) return ALL_RIGHTS;
    if (!restricted && this.settings.get("onlygroups") === 0) return OF_EVERY_USER;
    const grants = grantsOf(this.db, id);
    const operate = scopeOf(grants, "operate");
    return { view: scopeOf(grants, "view"), respond: operate, operate, manage: scopeOf(grants, "manage") };
  }

  /** @throws ApiError 404 */
  get(uname: string) {
    const { id, restricted } = existingUser(this.db, uname);
    return { restricted, grants: grantsOf(this.db, id) };
  }

  /** Replaces the grants of a user. @throws ApiError 400 for an unknown group, 404 */
  set({ uname, restricted, ...given }: GrantArguments): void {
    transaction(this.db, () => {
      const { id } = existingUser(this.db, uname);
      const levels = new Map(LEVELS.flatMap((level) => itemsOf(given[level]).map((group) => [group, level])));
      const known = this.hostGroups.existing([...levels.keys()]);
      for (const [groupid, level] of levels)
        if (!known.has(groupid))
          throw errors.badArgument(level, `ids of host groups; there is no group ${groupid}`);
      const grants = [...levels].map(([groupid, level]) => ({ groupid, level }));
      setGrants(this.db, id, grants, restricted || grants.length > 0);
    });
  }

  /** Gives a user a level in a group, in place of another one there. @throws ApiError 404 */
  grant(uname: string, groupName: string, level: Level): void {
    transaction(this.db, () => {
      const { userId, groupid, others } = this.#besideGroup(uname, groupName);
      setGrants(this.db, userId, [...others, { groupid, level }], true);
    });
  }

  /**
   * Takes back the level of a user in a group. Who has no other level then sees no host, instead of all.
   * @throws ApiError 404 for an unknown user or group, or without such a level
   */
  revoke(uname: string, groupName: string): void {
    transaction(this.db, () => {
      const { userId, others, has } = this.#besideGroup(uname, groupName);
      if (!has) throw errors.notFound(`level of ${uname} in`, groupName);
      setGrants(this.db, userId, others, true);
    });
  }

  /** The grants of a user in other groups than one, and whether they have one there. @throws ApiError 404 */
  #besideGroup(uname: string, groupName: string) {
    const { id: userId } = existingUser(this.db, uname);
    const groupid = this.hostGroups.idOf(groupName);
    if (groupid === undefined) throw errors.notFound("group", groupName);
    const all = grantsOf(this.db, userId);
    const others = all.filter((grant) => grant.groupid !== groupid);
    return { userId, groupid, others, has: others.length < all.length };
  }

  /**
   * Gives a user the levels that the setting has for their groups at a provider or proxy, and no others. They
   * are restricted even if there are none. Without the setting, levels are given in Muster.
   * @returns what changed, for the audit log
   */
  follow(userId: number, restricted: boolean, groups: readonly string[]): Record<string, unknown> {
    const rules = readExternalLevels(this.settings.get("externallevels")) ?? [];
    if (rules.length === 0) return {};
    const levels = new Map<number, Level>();
    for (const level of LEVELS)
      for (const rule of rules) {
        const id = this.hostGroups.idOf(rule.hostgroup);
        if (rule.level === level && groups.includes(rule.group) && id !== undefined) levels.set(id, level);
      }
    const before = textOf(grantsOf(this.db, userId));
    const grants = [...levels].map(([groupid, level]) => ({ groupid, level }));
    setGrants(this.db, userId, grants, true);
    const after = textOf(grantsOf(this.db, userId));
    return before === after && restricted ? {} : { grants: [before, after] };
  }
}
