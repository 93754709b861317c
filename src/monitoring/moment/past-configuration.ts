/** Settings, names, groups and tags as they were at a moment. */

import { createHash } from "node:crypto";
import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { sortKey } from "../../platform/sort-key.ts";
import { columnName } from "../../platform/storage/column-name.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { RevisionKind } from "../../platform/storage/revisions.repository.ts";
import {
  hostGroupMembers,
  hostGroups,
  hosts,
  hostTags,
  limits,
  maintenanceWindows,
  onCallOverrides,
  onCallSchedules,
  rules,
  serviceGroupMembers,
  serviceGroups,
  users,
} from "../../platform/storage/schema.ts";
import { RECORDED } from "../hosts/hosts.repository.ts";
import { MEMBERS_TODAY } from "../scope/scope.repository.ts";
import { parsedTag } from "../tags/tag.ts";
import {
  addRows,
  asTheyWere,
  defaultOf,
  readRows,
  readValues,
  rowsWith,
  type StoredRow,
} from "./moment-rows.ts";
import type { Composition } from "./moment-scope.ts";
import { type PastContent, pastObjects, revisionsAfter } from "./revisions.repository.ts";

type Kind = Exclude<RevisionKind, "host_group_members">;

/** Tables of settings. Before changes were recorded, nothing is known of them. */
const CONFIGURATION: readonly [table: SQLiteTable, kind: Kind][] = [
  [hostGroups, "host_groups"],
  [limits, "limits"],
  [rules, "rules"],
  [onCallOverrides, "on_call_overrides"],
];

function then(db: Db, table: SQLiteTable, kind: Kind, at: number): StoredRow[] {
  return asTheyWere(table, readRows(db, `select * from ${kind}`), revisionsAfter(db, kind, at));
}

/** Users as they were. Revisions of deleted users contain no password, and no screen shows it, so it is empty. */
function usersThen(db: Db, at: number): StoredRow[] {
  const past = [...revisionsAfter(db, "users", at)].map(([id, content]): [number, PastContent] => [
    id,
    content === null || content === "unknown" ? content : { passwordMd5: "", ...content },
  ]);
  return asTheyWere(users, readRows(db, "select * from users"), new Map(past));
}

/** Adds users, settings and maintenance, which do not belong to hosts. */
export function addConfiguration({ db, history, at, recorded }: Composition): void {
  addRows(db, users, usersThen(history, at));
  if (at >= recorded) {
    for (const [table, kind] of CONFIGURATION)
      addRows(db, table, then(history, table, kind, at).map(withSortKey));
    addRows(
      db,
      onCallSchedules,
      then(history, onCallSchedules, "on_call_schedules", at)
        .filter(({ created_at }) => Number(created_at) <= at)
        .map((row) => withUserIds(db, row)),
    );
  }
  addRows(
    db,
    maintenanceWindows,
    then(history, maintenanceWindows, "maintenance_windows", at).filter(
      // A mute is not changed after it began, except for its end.
      ({ created_at, muted_by }) => Number(created_at) <= at && (at >= recorded || muted_by !== null),
    ),
  );
}

function withSortKey(row: StoredRow): StoredRow {
  return "name_key" in row ? { ...row, name_key: sortKey(String(row.name)) } : row;
}

/**
 * Schedules name users by login in revisions, and by id in their table.
 * @param db the moment database with its users
 */
function withUserIds(db: Db, row: StoredRow): StoredRow {
  const rotations = JSON.parse(String(row.rotations)) as { users: (string | number)[] }[];
  if (rotations.every(({ users: of }) => of.every((user) => typeof user === "number"))) return row;
  const ids = new Map(readValues(db, "select uname, id from users").map(([name, id]) => [name, id]));
  const named = rotations.map((rotation) => ({
    ...rotation,
    users: rotation.users.flatMap(
      (user) => (typeof user === "number" ? user : Number(ids.get(user) ?? 0)) || [],
    ),
  }));
  return { ...row, rotations: JSON.stringify(named) };
}

/** Rows of a table that belong to hosts. @param hostIds undefined: all hosts */
function rowsOfHosts(db: Db, table: SQLiteTable, hostIds: readonly number[] | undefined): StoredRow[] {
  return hostIds
    ? rowsWith(db, table, "host_id", hostIds)
    : readRows(db, `select * from ${getTableName(table)}`);
}

/** Adds the members of groups as they were, and those of today, by which rights are judged. */
export function addMemberships({ db, history, at, recorded, hostIds }: Composition): void {
  const today = rowsOfHosts(history, hostGroupMembers, hostIds);
  db.$client.run(
    `create table ${MEMBERS_TODAY} (group_id integer, host_id integer, primary key (group_id, host_id))`,
  );
  const insert = db.$client.prepare(`insert into ${MEMBERS_TODAY} values (?, ?)`);
  for (const { group_id, host_id } of today) insert.run(group_id ?? 0, host_id ?? 0);
  if (at < recorded) return;
  const keyOf = (group: unknown, host: unknown) => `${group} ${host}`;
  const members = new Map(today.map((row) => [keyOf(row.group_id, row.host_id), row]));
  const namedByAgents = new Map<number, string>();
  for (const { objectId, hostId, content } of pastObjects(history, "host_group_members", at, hostIds)) {
    const key = keyOf(objectId, hostId);
    if (content === null || content === "unknown") members.delete(key);
    else if (hostId !== null) {
      members.set(key, memberOf(objectId, hostId, content));
      if (typeof content.name === "string") namedByAgents.set(objectId, content.name);
    }
  }
  const present = new Set(readValues(db, "select id from host_groups").map(([id]) => Number(id)));
  const gone = [...namedByAgents].filter(([id]) => !present.has(id));
  // A group that has one of these names now did not have it then.
  const deleteNamed = db.$client.prepare("delete from host_groups where name = ?");
  for (const [, name] of gone) deleteNamed.run(name);
  addRows(
    db,
    hostGroups,
    gone.map(([id, name]) => ({ id, name, name_key: sortKey(name), named_by_hand: 0 })),
  );
  addRows(db, hostGroupMembers, [...members.values()]);
}

/** Deletes what was added for hosts that did not exist, and the groups that only their agents name. */
export function deleteOfAbsentHosts({ db, hostIds }: Composition): void {
  for (const table of ["host_group_members", "host_tags"])
    db.$client.run(`delete from ${table} where host_id not in (select id from hosts)`);
  // A group that only agents name exists while it has members.
  if (!hostIds)
    db.$client.run(
      "delete from host_groups where named_by_hand = 0 and id not in (select group_id from host_group_members)",
    );
}

function memberOf(groupId: number, hostId: number, content: Readonly<Record<string, unknown>>): StoredRow {
  return {
    group_id: groupId,
    host_id: hostId,
    by_hand: Number(content.byHand ?? false),
    by_agent: Number(content.byAgent ?? false),
  };
}

/**
 * Recorded columns with the state of a host. Where they were not recorded, they follow from its events or stay as now.
 */
const OF_STATE: ReadonlySet<string> = new Set(["skew", "status", "stopped", "heartbeat"]);

/** The values of a host's recorded columns where their past is not known: the defaults, in columns that have one. */
const UNKNOWN_SETTINGS: StoredRow = Object.fromEntries(
  RECORDED.filter((name) => hosts[name].hasDefault && !OF_STATE.has(name)).map((name) => [
    columnName(hosts[name]),
    defaultOf(hosts[name]),
  ]),
);
/** The values of columns that are never recorded. */
const NOT_RECORDED: StoredRow = { key_id: 0, groups_left_out: 0, unreadable: "", agentpassword: "" };

/** Rows of hosts with the names and settings that they had. Adds their tags. */
export function hostsThen(
  { db, history, at, recorded, hostIds }: Composition,
  rows: readonly StoredRow[],
): StoredRow[] {
  const past = revisionsAfter(history, "hosts", at, hostIds);
  const present = new Set(rows.map(({ id }) => Number(id)));
  const changed = new Map([...past].filter(([id]) => present.has(id)));
  const named = asTheyWere(hosts, rows, changed).map((row) => ({
    ...row,
    hostname_key: sortKey(String(row.hostname)),
    ...((at < recorded || past.get(Number(row.id)) === "unknown") && UNKNOWN_SETTINGS),
    ...NOT_RECORDED,
  }));
  if (at >= recorded) addTags(db, history, named, changed, hostIds);
  return named;
}

function addTags(
  db: Db,
  history: Db,
  rows: readonly StoredRow[],
  past: ReadonlyMap<number, PastContent>,
  hostIds: readonly number[] | undefined,
): void {
  const today = rowsOfHosts(history, hostTags, hostIds);
  const byHost = Map.groupBy(today, ({ host_id }) => Number(host_id));
  for (const { id } of rows) {
    const content = past.get(Number(id));
    const tags = content !== "unknown" && content?.tags;
    if (content === "unknown") byHost.delete(Number(id));
    else if (Array.isArray(tags))
      byHost.set(
        Number(id),
        tags.map((tag) => ({ host_id: Number(id), ...parsedTag(String(tag)) })),
      );
  }
  addRows(db, hostTags, [...byHost.values()].flat());
}

/** A negative id for a service group that no longer exists: always the same, whatever else a query reads. */
function idOfGone(hostId: number, name: string): number {
  return -1 - createHash("sha256").update(`${hostId} ${name}`).digest().readUIntBE(0, 6);
}

/**
 * Adds service groups with the members that they had. One that no longer exists has a negative id.
 * @returns the ids of the members
 */
export function addServiceGroups(db: Db, history: Db, at: number): Set<number> {
  const stored = Map.groupBy(readRows(history, "select * from service_groups"), (row) => Number(row.host_id));
  const members = Map.groupBy(
    readValues(history, "select group_id, service_id from service_group_members"),
    ([group]) => Number(group),
  );
  const past = revisionsAfter(history, "hosts", at);
  const groups: StoredRow[] = [];
  const memberships: StoredRow[] = [];
  for (const [id] of readValues(db, "select id from hosts")) {
    const hostId = Number(id);
    const rows = stored.get(hostId) ?? [];
    const content = past.get(hostId);
    if (content === "unknown") continue;
    const recorded = content?.serviceGroups;
    const named: Record<string, number[]> = recorded
      ? (recorded as Record<string, number[]>)
      : Object.fromEntries(
          rows.map((row) => [
            row.name,
            (members.get(Number(row.id)) ?? []).map(([, service]) => Number(service)),
          ]),
        );
    for (const [name, services] of Object.entries(named)) {
      const groupId = Number(rows.find((row) => row.name === name)?.id ?? idOfGone(hostId, name));
      groups.push({ id: groupId, host_id: hostId, name });
      for (const service of services) memberships.push({ group_id: groupId, service_id: service });
    }
  }
  addRows(db, serviceGroups, groups);
  addRows(db, serviceGroupMembers, memberships);
  return new Set(memberships.map(({ service_id }) => Number(service_id)));
}
