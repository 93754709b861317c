/** The content of the maps that existing clients read. */

import { ACTION_NAMES, CHANGE, ERROR, SERVICE_TYPE_NAMES, SUCCESS } from "../../monit/event-types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { HOST_STATUS_NAMES } from "../../monitoring/health/health.ts";
import { allHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { CUSTOM, type SpecifiedRange, TODAY } from "../../monitoring/uptime/range.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allServiceNames } from "./maps.repository.ts";

type MapEntry = readonly [id: number, name: string];

const RANGE_NAMES: Readonly<Record<SpecifiedRange, string>> = {
  // Existing clients look it up by this name.
  [TODAY]: "now",
  5: "week",
  6: "month",
  7: "three months",
  8: "six months",
  9: "year",
  [CUSTOM]: "custom",
};

/** Names of statistics. If several have the same name, the unit is appended. */
function statisticNames(): MapEntry[] {
  const types = Object.values(STATISTIC);
  const count = Map.groupBy(types, ({ name }) => name);
  return types.map(({ code, name, unit }) => [
    code,
    (count.get(name)?.length ?? 0) > 1 ? `${name} ${unit}` : name,
  ]);
}

const BRANCHES: Readonly<Record<string, (db: Db, scope: Scope) => MapEntry[]>> = {
  host: (db, scope) => allHosts(db, scope).map(({ id, hostname }) => [id, hostname]),
  hostgroup: (db, scope) => allGroups(db, scope).map(({ id, name }) => [id, name]),
  hoststatus: () => [...HOST_STATUS_NAMES.entries()],
  servicename: (db, scope) => allServiceNames(db, scope).map(({ id, name }) => [id, name]),
  servicetype: () => [...SERVICE_TYPE_NAMES.entries()],
  statetype: () => [
    [SUCCESS, "Success"],
    [ERROR, "Error"],
    [CHANGE, "Change"],
  ],
  statisticstype: statisticNames,
  range: () => Object.entries(RANGE_NAMES).map(([id, name]) => [Number(id), name]),
  action: () => [...ACTION_NAMES.entries()],
};

export const BRANCH_NAMES = Object.keys(BRANCHES);

/** The queries behind the maps, for a query worker. */
export function mapQueries(db: Db) {
  return {
    /** A map from ids to names, or back. Of several hosts with the same name, the map by name holds the last. */
    map: (by: "id" | "name", branch: string, scope: Scope) => {
      const entries = BRANCHES[branch]?.(db, scope) ?? [];
      const map = by === "id" ? entries : entries.map(([id, name]) => [name, id] as const);
      return { map: { [by]: { [branch]: Object.fromEntries(map) } } };
    },
  };
}

export type MapQueries = AsyncQueries<ReturnType<typeof mapQueries>>;
