/** Everything that refers to a host group otherwise than by a foreign key. */
import { allMaintenance, allMutes } from "./alerting/maintenance/maintenance.repository.ts";
import { allRules } from "./alerting/rules/rules.repository.ts";
import type { GroupReferences } from "./monitoring/groups/unused-groups.service.ts";
import { allLimits } from "./monitoring/limits/limits.repository.ts";
import { readExternalLevels } from "./platform/http/external-levels.ts";
import type { Settings } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import { allFilters } from "./publishing/filters/filters.repository.ts";
import { allViews } from "./publishing/views/views.repository.ts";

/** The argument of each list that names host groups by id. */
const GROUP_ARGUMENTS = ["group", "hostgroupid"] as const;

/** Rules, limits, maintenance, mutes, views and saved filters name groups by id, a setting by name. */
export function groupReferences(db: Db, settings: Settings): GroupReferences {
  const filters = [allRules, allLimits, allMaintenance, allMutes].flatMap((all) =>
    all(db).flatMap(({ filter }) => filter.hostgroups ?? []),
  );
  const views = allViews(db).flatMap(({ content }) => content.hostgroupid ?? []);
  const queries = allFilters(db).flatMap(({ query }) => {
    const said = new URLSearchParams(query);
    return GROUP_ARGUMENTS.flatMap((name) => said.getAll(name).map(Number));
  });
  const levels = readExternalLevels(settings.get("externallevels")) ?? [];
  return {
    ids: new Set([...filters, ...views, ...queries]),
    names: new Set(levels.map(({ hostgroup }) => hostgroup)),
  };
}
