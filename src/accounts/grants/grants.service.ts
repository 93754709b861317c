import type { Account } from "../../platform/http/context.ts";
import { errors, found } from "../../platform/http/errors.ts";
import {
  ALL_RIGHTS,
  LEVELS,
  type Level,
  NOTHING,
  type Rights,
  type Scope,
} from "../../platform/http/scope.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import { readExternalLevels } from "../../platform/settings/external-levels.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { findUser } from "../users/users.repository.ts";
import { existingUser } from "../users/users.service.ts";
import { type Grant, grantsOf, setGrants } from "./grants.repository.ts";
import type { GrantArguments } from "./grants.schemas.ts";

/** Rights of a user without restrictions: to see everything, and to acknowledge and dismiss failures. */
const OF_EVERY_USER: Rights = { view: "all", respond: "all", operate: NOTHING, manage: NOTHING };

/** The groups in which these grants give at least this level. */
function scopeOf(grants: readonly Grant[], least: Level): Scope {
  const isEnough = ({ level }: Grant) => LEVELS.indexOf(level) >= LEVELS.indexOf(least);
  return { groups: grants.filter(isEnough).map(({ groupid }) => groupid) };
}

/** Grants as text for the audit log. */
export function grantsText(grants: readonly Grant[]): string {
  return grants.map(({ groupid, level }) => `${groupid} ${level}`).join(", ");
}

/** What accounts needs to know about host groups. */
export interface HostGroups {
  /** The ids among these that belong to host groups. */
  existing(ids: readonly number[]): ReadonlySet<number>;
  idOf(name: string): number | undefined;
}

/** Roles per host group: which hosts users see, and what they may do with them. */
export class Grants {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly hostGroups: HostGroups,
  ) {}

  /** What a user may do with which hosts. Call it for each request, so that a change takes effect with the next one. */
  rightsOf({ id, admin, restricted }: Pick<Account, "id" | "admin" | "restricted">): Rights {
    if (admin) return ALL_RIGHTS;
    if (!restricted && this.settings.get("onlygroups") === 0) return OF_EVERY_USER;
    const grants = grantsOf(this.db, id);
    const operate = scopeOf(grants, "operate");
    return { view: scopeOf(grants, "view"), respond: operate, operate, manage: scopeOf(grants, "manage") };
  }

  /** The hosts that a user sees; none if there is no such user. */
  visibleTo(uname: string): Scope {
    const user = findUser(this.db, uname);
    return user ? this.rightsOf(user).view : NOTHING;
  }

  /** @throws ApiError 404 */
  get(uname: string) {
    const { id, restricted } = existingUser(this.db, uname);
    return { restricted, grants: grantsOf(this.db, id) };
  }

  /** Replaces the grants of a user. @throws ApiError 400 for an unknown group, 404 */
  set({ uname, restricted, ...requested }: GrantArguments): void {
    transaction(this.db, () => {
      const { id } = existingUser(this.db, uname);
      const levels = new Map(
        LEVELS.flatMap((level) => itemsOf(requested[level]).map((group) => [group, level])),
      );
      const existing = this.hostGroups.existing([...levels.keys()]);
      for (const [groupid, level] of levels)
        if (!existing.has(groupid))
          throw errors.badArgument(level, `ids of host groups; there is no group ${groupid}`);
      const grants = [...levels].map(([groupid, level]) => ({ groupid, level }));
      setGrants(this.db, id, { grants, restricted: restricted || grants.length > 0 });
    });
  }

  /** Gives a user a level in a group, replacing an earlier level there. @throws ApiError 404 */
  grant(uname: string, groupName: string, level: Level): void {
    transaction(this.db, () => {
      const { userId, groupid, otherGrants } = this.#besideGroup(uname, groupName);
      setGrants(this.db, userId, { grants: [...otherGrants, { groupid, level }], restricted: true });
    });
  }

  /**
   * Revokes the level of a user in a group. A user whose last level is revoked sees no hosts, instead of all.
   * @throws ApiError 404 for an unknown user or group, or without such a level
   */
  revoke(uname: string, groupName: string): void {
    transaction(this.db, () => {
      const { userId, otherGrants, has } = this.#besideGroup(uname, groupName);
      if (!has) throw errors.notFound(`level of ${uname} in`, groupName);
      setGrants(this.db, userId, { grants: otherGrants, restricted: true });
    });
  }

  /** The user's grants in all other groups, and whether they have one in this group. @throws ApiError 404 */
  #besideGroup(uname: string, groupName: string) {
    const { id: userId } = existingUser(this.db, uname);
    const groupid = found(this.hostGroups.idOf(groupName), "group", groupName);
    const grants = grantsOf(this.db, userId);
    const otherGrants = grants.filter((grant) => grant.groupid !== groupid);
    return { userId, groupid, otherGrants, has: otherGrants.length < grants.length };
  }

  /**
   * Gives a user exactly the levels that the setting has for their groups at a provider or proxy. They are restricted
   * even if there are no such levels. Without the setting, levels are granted in Muster.
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
    const before = grantsText(grantsOf(this.db, userId));
    const grants = [...levels].map(([groupid, level]) => ({ groupid, level }));
    setGrants(this.db, userId, { grants, restricted: true });
    const after = grantsText(grantsOf(this.db, userId));
    return before === after && restricted ? {} : { grants: [before, after] };
  }
}
