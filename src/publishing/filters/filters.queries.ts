import { isEventWithText } from "../../monitoring/events/event-text.repository.ts";
import { searchedParts } from "../../monitoring/events/event-words.ts";
import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { VisibleNames } from "../../monitoring/places/visible-filters.ts";
import { hasServiceNameId, isServiceGroupInScope } from "../../monitoring/places/visible-names.repository.ts";
import { hostsWithNames } from "../../monitoring/search/search.repository.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type FilterRow, filterRows } from "./filters.repository.ts";
import { filter } from "./filters.schemas.ts";
import { filterIn } from "./list-addresses.ts";

type FilterContent = ContentOf<typeof filter>;
type VisibleFilter = FilterContent["filter"];
type OfScreen<S extends VisibleFilter["screen"]> = Extract<VisibleFilter, { screen: S }>;
/** For each field but the order: whether a value names only objects that a scope sees; null: its values name none. */
type Checks<F> = {
  [K in Exclude<keyof F, "screen" | "sort" | "dir">]-?: ((value: NonNullable<F[K]>) => boolean) | null;
};

function checksOf(db: Db, scope: Scope): { [S in VisibleFilter["screen"]]: Checks<OfScreen<S>> } {
  const names = new VisibleNames(db, scope);
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  const group = (id: number) => groups.has(id);
  const tag = (tags: string[]) => names.tagsInUse(tags).length > 0;
  const words = (text: string) => sortKey(text).split(/\s+/).filter(Boolean);
  const hasServiceOrGroup = (word: string) => hostsWithNames(db, searchedParts(word), scope, 1).length > 0;
  return {
    hosts: {
      led: null,
      state: null,
      group,
      tag,
      text: (text) =>
        words(text).every(
          (word) =>
            names.hosts.some((host) => host.includes(word)) ||
            names.tags.some(({ name, value: ofTag }) => `${name}=${ofTag}`.includes(word)) ||
            names.states.some((state) => state.includes(word)) ||
            hasServiceOrGroup(word),
        ),
    },
    events: {
      active: null,
      state: null,
      servicetype: null,
      eventtype: null,
      datefrom: null,
      dateto: null,
      tag,
      hostgroupid: group,
      hostid: (id) => existingHosts(db, [id], scope).size > 0,
      servicenameid: (id) => hasServiceNameId(db, id, scope),
      servicegroupid: (id) => isServiceGroupInScope(db, id, scope),
      text: (text) => isEventWithText(db, text, scope),
    },
  };
}

/** Saved filters as callers see them: those that name nothing hidden from the caller. */
export class FilterReads extends CollectionReads<typeof filter, FilterRow> {
  constructor(db: Db) {
    super(db, filter, filterRows, "name");
  }

  override contentOf({ name, screen, query }: FilterRow): FilterContent {
    return { name, filter: filterIn(screen, new URLSearchParams(query)) as VisibleFilter };
  }

  override visible(rows: FilterRow[], scope: Scope): FilterRow[] {
    if (scope === "all") return rows;
    const checks = checksOf(this.db, scope);
    return rows.filter((row) => {
      const { screen, ...fields } = this.contentOf(row).filter;
      const ofScreen = checks[screen] as Readonly<Record<string, ((value: unknown) => boolean) | null>>;
      return Object.entries(fields).every(([name, value]) => ofScreen[name]?.(value) ?? true);
    });
  }

  protected derived({ act }: Reach) {
    return ({ createdAt }: FilterRow) => ({ manage: act === "all", created: createdAt });
  }
}

/**
 * Queries of saved filters, which run on a query worker: finding what a caller may see of them takes time in
 * proportion to their hosts.
 */
export function filterQueries(db: Db) {
  const reads = new FilterReads(db);
  return {
    filterList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    filter: (id: number, reach: Reach) => reads.get(id, reach),
  };
}

export type FilterQueries = AsyncQueries<ReturnType<typeof filterQueries>>;
