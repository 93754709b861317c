import { isEventWithText } from "../../monitoring/events/event-text.repository.ts";
import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { VisibleNames } from "../../monitoring/places/visible-filters.ts";
import { hasServiceNameId, isServiceGroupInScope } from "../../monitoring/places/visible-names.repository.ts";
import { normalisedTag } from "../../monitoring/tags/tag.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allFilters } from "./filters.repository.ts";

/** Whether a value of a query names only what a scope sees. */
type Check = (value: string) => boolean;

/** The check for each name of a query with which a host, group or service can be named, by screen. */
function checksOf(db: Db, scope: Scope): Readonly<Record<string, Readonly<Record<string, Check>>>> {
  const names = new VisibleNames(db, scope);
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  const group: Check = (value) => groups.has(Number(value));
  const tag: Check = (value) => names.tagsInUse(value.split(",").map(normalisedTag)).length > 0;
  const words = (value: string) => value.toLowerCase().split(/\s+/).filter(Boolean);
  return {
    hosts: {
      group,
      tag,
      text: (value) =>
        words(value).every(
          (word) =>
            names.hosts.some((host) => host.includes(word)) ||
            names.tags.some(({ name, value: ofTag }) => `${name}=${ofTag}`.includes(word)),
        ),
    },
    events: {
      tag,
      hostgroupid: group,
      hostid: (value) => existingHosts(db, [Number(value)], scope).size > 0,
      servicenameid: (value) => hasServiceNameId(db, Number(value), scope),
      servicegroupid: (value) => isServiceGroupInScope(db, Number(value), scope),
      text: (value) => isEventWithText(db, value, scope),
    },
  };
}

/** Queries of saved filters that run on a query worker: what a caller may see of them takes time in proportion to their hosts. */
export function filterQueries(db: Db) {
  return {
    /** Those that name nothing that the scope does not see, by name. */
    filterList: (scope: Scope) => {
      const all = allFilters(db);
      if (scope === "all") return { totalRecords: all.length, records: all };
      const checks = checksOf(db, scope);
      const records = all.filter(({ screen, query }) =>
        [...new URLSearchParams(query)].every(([name, value]) => checks[screen]?.[name]?.(value) ?? true),
      );
      return { totalRecords: records.length, records };
    },
  };
}

export type FilterQueries = AsyncQueries<ReturnType<typeof filterQueries>>;
