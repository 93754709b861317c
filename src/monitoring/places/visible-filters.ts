/**
 * Filters of others, as users see them who see only some hosts: as if hidden hosts, host groups and names did not
 * exist. The result depends only on what the user sees, so it reveals nothing else.
 */
import type { Scope } from "../../platform/http/scope.ts";
import { matchesName } from "../../platform/name-pattern.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allGroups } from "../groups/groups.repository.ts";
import { existingHosts } from "../hosts/hosts.repository.ts";
import { isOfGroups } from "../scope/filter-scope.ts";
import { parsedTag, tagConditions } from "../tags/tag.ts";
import { tagCounts } from "../tags/tags.repository.ts";
import type { PlaceFilter } from "./place-filter.ts";
import { hostNames, hostStates, serviceNames } from "./visible-names.repository.ts";

/** Any filter: limits also filter by the names of hosts. */
export type NamingFilter = PlaceFilter & { hostnames?: string[] };

/**
 * The names that a scope sees. Reading them takes time in proportion to its hosts, so each kind is read when it is
 * first needed.
 */
export class VisibleNames {
  #hosts: readonly string[] | undefined;
  #services: readonly string[] | undefined;
  #states: readonly string[] | undefined;
  #tags: ReturnType<typeof tagCounts> | undefined;

  constructor(
    private readonly db: Db,
    private readonly scope: Scope,
  ) {}

  /** The keys of the names of the hosts. */
  get hosts(): readonly string[] {
    this.#hosts ??= hostNames(this.db, this.scope).map(sortKey);
    return this.#hosts;
  }

  /** The patterns that match the name of a host, in any case. */
  matchingHosts(patterns: readonly string[]): string[] {
    return patterns.filter((pattern) => this.hosts.some((name) => matchesName(sortKey(pattern), name)));
  }

  /** The patterns that match the name of a service. */
  matchingServices(patterns: readonly string[]): string[] {
    this.#services ??= serviceNames(this.db, this.scope);
    const names = this.#services;
    return patterns.filter((pattern) => names.some((name) => matchesName(pattern, name)));
  }

  /** The status texts of the hosts, as sort keys. */
  get states(): readonly string[] {
    this.#states ??= hostStates(this.db, this.scope).map(sortKey);
    return this.#states;
  }

  /** The tags of hosts, as name and value. */
  get tags() {
    this.#tags ??= tagCounts(this.db, "", this.scope);
    return this.#tags;
  }

  /**
   * The tags of a filter that hosts have. Empty if one of its names has no tag in use, since the filter then matches
   * no host.
   */
  tagsInUse(filter: readonly string[]): string[] {
    const visible = filter.filter((text) => {
      const { name, value } = parsedTag(text);
      return this.tags.some((tag) => tag.name === name && (value === "" || value === tag.value));
    });
    return tagConditions(visible).length === tagConditions(filter).length ? visible : [];
  }
}

type VisibleItems = { [K in keyof NamingFilter]: readonly (number | string)[] | undefined };

/** The filter, with only the visible items of each condition; null if a condition is left without any. */
function withItems<F extends NamingFilter>(filter: F, visible: VisibleItems): F | null {
  const conditions = Object.entries(visible).filter(([, items]) => items !== undefined);
  return conditions.every(([, items]) => items && items.length > 0)
    ? { ...filter, ...Object.fromEntries(conditions) }
    : null;
}

/**
 * The items whose filters can match a host of the scope, without hidden hosts, groups and names. A filter limited to
 * groups of the scope keeps its names: a user who sees all its hosts sees it as written.
 */
export function narrowed<T extends { filter: NamingFilter }>(
  db: Db,
  items: readonly T[],
  scope: Scope,
  names = new VisibleNames(db, scope),
): T[] {
  if (scope === "all") return [...items];
  const hosts = existingHosts(db, [...new Set(items.flatMap(({ filter }) => filter.hosts ?? []))], scope);
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  return items.flatMap((item) => {
    const { filter } = item;
    const visible: VisibleItems = {
      hosts: filter.hosts?.filter((id) => hosts.has(id)),
      hostgroups: filter.hostgroups?.filter((id) => groups.has(id)),
    };
    if (!isOfGroups(filter, scope)) {
      visible.tags = filter.tags && names.tagsInUse(filter.tags);
      visible.hostnames = filter.hostnames && names.matchingHosts(filter.hostnames);
      visible.servicenames = filter.servicenames && names.matchingServices(filter.servicenames);
    }
    const narrow = withItems(filter, visible);
    return narrow ? [{ ...item, filter: narrow }] : [];
  });
}

/**
 * Whether the scope sees an item with this filter, judged by ids alone: false for a filter by names, unless it is
 * limited to groups of the scope.
 */
export function isVisibleById(db: Db, filter: NamingFilter, scope: Scope): boolean {
  const { tags, hostnames, servicenames } = filter;
  if (!isOfGroups(filter, scope) && (tags || hostnames || servicenames)) return false;
  return narrowed(db, [{ filter }], scope).length > 0;
}

/** Whether a filter matches only hosts that are in the scope now. */
export function isWithin(db: Db, filter: PlaceFilter, scope: Scope): boolean {
  if (isOfGroups(filter, scope)) return true;
  const { hosts } = filter;
  return hosts !== undefined && existingHosts(db, hosts, scope).size === new Set(hosts).size;
}
