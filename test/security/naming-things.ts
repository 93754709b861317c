/** Limits, mutes, saved filters and views that name hosts and groups, and what of them may be told to whom. */

import type { Level } from "../../src/platform/http/scope.ts";
import { filterIn } from "../../src/publishing/filters/list-addresses.ts";
import type { TestApp } from "../support/app.ts";
import type { Fields } from "../support/client.ts";

export const [RACK, EMPTY, SECRET] = [1, 2, 3];
export const HOSTS = [1, 2, 3, 4, 5];
/** The hosts of each group. */
export const MEMBERS: Readonly<Record<number, readonly number[]>> = {
  [RACK]: [1, 3],
  [EMPTY]: [],
  [SECRET]: [3, 4],
};
/** Levels with which nothing is hidden, to make things with. */
export const EVERYTHING: Readonly<Record<number, Level>> = {
  [RACK]: "view",
  [EMPTY]: "view",
  [SECRET]: "view",
  0: "view",
};

/** A value of an argument, and the hosts that have what it names. */
type Named = readonly [value: string | number, hosts: readonly number[]];

export interface Thing {
  /** Conditions, by argument: of each at least one has to be visible. */
  names: Readonly<Record<string, readonly Named[]>>;
  /** Arguments that name nothing. */
  rest?: Fields;
  /** All that it names has to be visible, or it is not told of at all. */
  isWhole?: true;
  /** The list of which it is a saved filter. */
  screen?: "hosts" | "events";
}

const VIEW = { statistics: [18] };

const host = (id: number): Named => [id, [id]];
const group = (id: number): Named => [id, MEMBERS[id] ?? []];

/** Kinds of things, in the order of their creation. The last of each kind is visible to all, so that no id is given twice. */
export function THINGS(app: TestApp): readonly { path: string; table: string; things: readonly Thing[] }[] {
  const idOf = (sql: string) => app.rows<{ id: number }>(sql)[0]?.id ?? 0;
  const nameId = (name: string) => idOf(`select id from names where name = '${name}'`);
  const serviceId = (hostId: number) => idOf(`select min(id) as id from services where host_id = ${hostId}`);
  const serviceGroup = (name: string) => idOf(`select id from service_groups where name = '${name}'`);
  const limit = { statistics: [1], warning: 1, filter: {} };
  const mute = { minutes: 90, filter: {} };
  const filter = (
    screen: "hosts" | "events",
    name: string,
    value: string | number,
    of: readonly number[],
  ): Thing => ({ screen, isWhole: true, names: { [name]: [[value, of]] } });
  const seen: Thing = { names: {} };
  return [
    {
      path: "/limits/create",
      table: "limits",
      things: [
        { rest: limit, names: { hostid: [host(1), host(4)] } },
        { rest: limit, names: { hostname: [["hidden-4", [4]]] } },
        { rest: limit, names: { hostgroupid: [group(SECRET)] } },
        { rest: limit, names: { hostid: [host(4)] } },
        {
          rest: limit,
          names: {
            hostname: [
              ["HOST-1", [1]],
              ["hidden-*", [4, 5]],
            ],
          },
        },
        { rest: limit, names: { servicename: [["secret-service-4", [4]]] } },
        {
          rest: limit,
          names: {
            servicename: [
              ["we*", [1]],
              ["secret-service-5", [5]],
            ],
          },
        },
        { rest: limit, names: { tag: [["hidden", [3, 4]]] } },
        { rest: limit, names: { tag: [["secret", [2, 5]]], hostid: [host(1)] } },
        { rest: limit, names: { hostgroupid: [group(RACK)], hostname: [["hidden-4", [4]]] } },
        { rest: { ...limit, statistics: [18], descriptor: "of nothing" }, names: { hostid: [host(5)] } },
        { ...seen, rest: limit },
      ],
    },
    {
      path: "/mutes/create",
      table: "maintenance_windows",
      things: [
        { rest: { ...mute, filter: { servicenames: ["*"] } }, names: { hostid: [host(1), host(4)] } },
        { rest: mute, names: { servicename: [["secret-service-4", [4]]] } },
        { rest: mute, names: { tag: [["hidden", [3, 4]]] } },
        {
          rest: mute,
          names: {
            servicename: [
              ["we*", [1]],
              ["secret-service-5", [5]],
            ],
          },
        },
        { rest: mute, names: { hostid: [host(5)] } },
        { rest: { ...mute, filter: { hostgroups: [RACK, SECRET] } }, names: {} },
      ],
    },
    {
      path: "/filters/create",
      table: "saved_filters",
      things: [
        filter("hosts", "group", SECRET, MEMBERS[SECRET] ?? []),
        filter("hosts", "group", RACK, MEMBERS[RACK] ?? []),
        filter("hosts", "text", "hidden-4", [4]),
        filter("hosts", "text", "host-1", [1]),
        filter("hosts", "tag", "hidden", [3, 4]),
        filter("events", "tag", "secret", [2, 5]),
        filter("events", "hostid", 4, [4]),
        filter("events", "hostid", 3, [3]),
        filter("events", "hostgroupid", SECRET, MEMBERS[SECRET] ?? []),
        filter("events", "servicenameid", nameId("secret-service-5"), [5]),
        filter("events", "servicenameid", nameId("rootfs"), [1, 3, 4, 5]),
        filter("events", "servicegroupid", serviceGroup("secret-group-4"), [4]),
        filter("events", "text", "secret-service-4", [4]),
        filter("events", "text", "failed", [3, 4, 5]),
        { screen: "hosts", rest: { led: 0 }, names: {} },
      ],
    },
    {
      path: "/views/create",
      table: "saved_views",
      things: [
        { rest: VIEW, names: { hostgroup: [group(SECRET)] } },
        { rest: VIEW, names: { hostgroup: [group(RACK)] } },
        { rest: VIEW, names: { hosts: [host(1), host(4)] } },
        { rest: VIEW, names: { hosts: [host(4)] } },
        {
          rest: VIEW,
          names: {
            services: [
              [serviceId(1), [1]],
              [serviceId(5), [5]],
            ],
          },
        },
        { rest: VIEW, names: {} },
      ],
    },
  ];
}

/** A name that says nothing of what the thing is about. */
export function labelOf(path: string, i: number): Fields {
  return path.startsWith("/mutes") ? { note: `number ${i}` } : { name: `number ${i}` };
}

/** The conditions of filters, by the names that this table has for them. */
const CONDITIONS: Readonly<Record<string, string>> = {
  hostid: "hosts",
  hostgroupid: "hostgroups",
  tag: "tags",
  hostname: "hostnames",
  servicename: "servicenames",
};

function placeOf(names: Fields): Fields {
  return Object.fromEntries(
    Object.entries(names).map(([name, values]) => [CONDITIONS[name] ?? name, values]),
  );
}

function fieldsWith({ rest, screen }: Thing, names: Fields): Fields {
  if (rest && "filter" in rest) return { ...rest, filter: { ...(rest.filter as Fields), ...placeOf(names) } };
  if (Array.isArray(names.hostgroup)) return { ...rest, hostgroup: names.hostgroup[0] };
  if (!screen) return { ...rest, ...names };
  const query = Object.entries({ ...rest, ...names }).map(([name, value]) => [name, String(value)]);
  return { filter: filterIn(screen, new URLSearchParams(query)) };
}

function valuesOf(names: readonly Named[]): (string | number)[] {
  return names.map(([value]) => value);
}

/** The arguments that make the thing whole. */
export function fieldsOf(thing: Thing): Fields {
  const names = Object.entries(thing.names).map(([name, values]) => [name, valuesOf(values)]);
  return fieldsWith(thing, Object.fromEntries(names));
}

/** The arguments that make what a user with these levels may know of the thing; null: nothing. */
export function seenBy(thing: Thing, levels: Readonly<Record<number, Level>>): Fields | null {
  if (levels === EVERYTHING) return fieldsOf(thing);
  const hosts = new Set(Object.keys(levels).flatMap((id) => MEMBERS[Number(id)] ?? []));
  const ofGroups = thing.names.hostgroupid ?? [];
  const isOfOwnGroups = ofGroups.length > 0 && ofGroups.every(([id]) => Number(id) in levels);
  const isVisible = (argument: string, [value, of]: Named) =>
    (isOfOwnGroups && argument !== "hostid") ||
    (["hostgroupid", "hostgroup", "group"].includes(argument) && Number(value) in levels) ||
    of.some((id) => hosts.has(id));
  const visible = Object.entries(thing.names).map(
    ([argument, names]) => [argument, names.filter((named) => isVisible(argument, named))] as const,
  );
  if (visible.some(([, names]) => names.length === 0)) return null;
  return fieldsWith(thing, Object.fromEntries(visible.map(([name, names]) => [name, valuesOf(names)])));
}
