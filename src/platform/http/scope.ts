/** What a caller may do with which hosts. */

/** Levels of a grant; each includes those before it. */
export const LEVELS = ["view", "operate", "manage"] as const;
export type Level = (typeof LEVELS)[number];

/**
 * Which hosts a read or a change may concern: all, or the members of these host groups. It is plain data, since
 * query workers need it too.
 */
export type Scope =
  | "all"
  | {
      readonly groups: readonly number[];
      /** In a request about the past: groups have their members of today, not those of then. */
      readonly isToday?: true;
    };

export const NOTHING: Scope = { groups: [] };

/** Whether no host can be in the scope. */
export function isNothing(scope: Scope): boolean {
  return scope !== "all" && scope.groups.length === 0;
}

/** The rights of a caller. Each scope is within the previous one. */
export interface Rights {
  /** The hosts that the caller sees. */
  view: Scope;
  /** Hosts whose failures the caller may acknowledge and dismiss, and about which they may write notes. */
  respond: Scope;
  /** Hosts to whose agents the caller may send actions, and which they may mute. */
  operate: Scope;
  /** Hosts whose settings, rules, limits and maintenance the caller may change. */
  manage: Scope;
}
export type Right = keyof Rights;

export const ALL_RIGHTS: Rights = { view: "all", respond: "all", operate: "all", manage: "all" };

/** What a change needs: a host outside of `view` is treated as if it did not exist, one outside of `act` is refused. */
export interface Reach {
  view: Scope;
  act: Scope;
}

/** For changes that Muster or an administrator makes. */
export const FULL_REACH: Reach = { view: "all", act: "all" };
