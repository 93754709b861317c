/** Maps from ids to names and back, which existing clients read instead of having the codes built in. */
import * as v from "valibot";
import { STATISTIC } from "../agent/statistic-types.ts";
import type { Db } from "../database/open.ts";
import { ACTION_NAMES, CHANGE, ERROR, SERVICE_TYPE_NAMES, SUCCESS } from "../events/event-types.ts";
import { allGroups } from "../groups/groups.repository.ts";
import { allHosts } from "../hosts/hosts.repository.ts";
import { HOST_STATUS_NAMES } from "../hosts/hosts.service.ts";
import { type Operation, query } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import { CUSTOM, type Range, TODAY } from "../uptime/range.ts";
import { allServiceNames } from "./maps.repository.ts";

type Entry = readonly [id: number, name: string];

const RANGE_NAMES: Readonly<Record<Range, string>> = {
  // Existing clients look this one up by this name.
  [TODAY]: "now",
  5: "week",
  6: "month",
  7: "three months",
  8: "six months",
  9: "year",
  [CUSTOM]: "custom",
};

/** Names of statistics; where several have the same, the unit tells them apart. */
function statisticNames(): Entry[] {
  const types = Object.values(STATISTIC);
  const count = Map.groupBy(types, ({ name }) => name);
  return types.map(({ code, name, unit }) => [
    code,
    (count.get(name)?.length ?? 0) > 1 ? `${name} ${unit}` : name,
  ]);
}

const BRANCHES: Readonly<Record<string, (db: Db) => Entry[]>> = {
  host: (db) => allHosts(db).map(({ id, hostname }) => [id, hostname]),
  hostgroup: (db) => allGroups(db).map(({ id, name }) => [id, name]),
  hoststatus: () => [...HOST_STATUS_NAMES.entries()],
  servicename: (db) => allServiceNames(db).map(({ id, name }) => [id, name]),
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

const mapReply = v.object({
  map: v.record(
    v.picklist(["id", "name"]),
    v.record(v.string(), v.record(v.string(), v.union([v.number(), v.string()]))),
  ),
});

/** `/map/id/<branch>` and `/map/name/<branch>`. Of hosts of the same name the last in the list is found by it. */
export function mapOperations(db: Db): Operation[] {
  return Object.entries(BRANCHES).flatMap(([branch, entries]) => [
    query(`/map/id/${branch}`, {
      access: "session",
      summary: `Names of each ${branch} by id`,
      takes: nothing,
      gives: mapReply,
      handle: () => ({ map: { id: { [branch]: Object.fromEntries(entries(db)) } } }),
    }),
    query(`/map/name/${branch}`, {
      access: "session",
      summary: `Ids of each ${branch} by name`,
      takes: nothing,
      gives: mapReply,
      handle: () => ({
        map: { name: { [branch]: Object.fromEntries(entries(db).map(([id, name]) => [name, id])) } },
      }),
    }),
  ]);
}
