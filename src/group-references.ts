/** Everything that refers to a host group otherwise than by a foreign key. */
import type { GroupReferences } from "./monitoring/groups/unused-groups.service.ts";
import { readExternalLevels } from "./platform/settings/external-levels.ts";
import type { Settings } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import { pagesById } from "./platform/storage/pages.repository.ts";
import {
  agentKeys,
  expectedHosts,
  limits,
  maintenanceWindows,
  rules,
  savedFilters,
  savedViews,
} from "./platform/storage/schema.ts";
import { FilterReads } from "./publishing/filters/filters.queries.ts";

/** The groups of a filter by place, as it is stored. */
function groupsIn(filter: unknown): number[] {
  const { hostgroups = [] } = typeof filter === "string" ? JSON.parse(filter) : filter;
  return hostgroups;
}

/** Rules, limits, maintenance, mutes, keys, expected hosts, views and saved filters name groups by id, a setting by name. */
export function groupReferences(db: Db, settings: Settings): GroupReferences {
  return {
    *ids() {
      for (const table of [rules, limits, maintenanceWindows])
        for (const rows of pagesById(db, table)) yield rows.flatMap(({ filter }) => groupsIn(filter));
      for (const rows of pagesById(db, savedViews))
        yield rows.flatMap(({ content }) => (content as { hostgroup?: number }).hostgroup ?? []);
      for (const table of [agentKeys, expectedHosts])
        for (const rows of pagesById(db, table))
          yield rows.flatMap(({ hostgroups }) => hostgroups as number[]);
      const saved = new FilterReads(db);
      for (const rows of pagesById(db, savedFilters))
        yield rows.flatMap((row) => {
          const { filter } = saved.contentOf(row);
          return (filter.screen === "hosts" ? filter.group : filter.hostgroupid) ?? [];
        });
    },
    names: () =>
      new Set((readExternalLevels(settings.get("externallevels")) ?? []).map(({ hostgroup }) => hostgroup)),
  };
}
