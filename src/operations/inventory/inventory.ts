/**
 * The inventory of hosts for Ansible, as an inventory script returns it for `--list` and `--host NAME`. Pure
 * functions.
 * Names and addresses come from agents, and Ansible treats them as parts of command lines and as templates. Therefore
 * only their plain characters are kept.
 */
import { isIP } from "node:net";
import { VARIABLES } from "../../monitoring/expected/variables.ts";
import { parsedTag } from "../../monitoring/tags/tag.ts";

export interface InventoryHost {
  id: number;
  hostname: string;
  led: number;
  tags: readonly string[];
  /** Address of its agent; undefined for callers who may not see it. */
  address?: string | undefined;
}

export interface InventoryGroup {
  name: string;
  /** Ids of hosts. */
  hosts: readonly number[];
}

const LED_WORDS = ["red", "orange", "green", "gray"] as const;
const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
/** Names with a special meaning in an inventory. */
const RESERVED = ["all", "ungrouped", "_meta"];

/** A name that Ansible accepts for a group: letters, digits and underscores, no digit first. */
export function groupName(text: string): string {
  const plain = text.replaceAll(/[^\p{L}\p{N}_]/gu, "_");
  return /^\p{N}/u.test(plain) || RESERVED.includes(plain) ? `_${plain}` : plain;
}

function plainName(hostname: string): string {
  const plain = hostname.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^[-.]/, "_");
  return plain === "" ? "_" : plain;
}

/**
 * The names of hosts in the inventory, by id. Hosts that share a name get their ids appended; so does one whose own name
 * is that of another host with its id, so that no agent can take another host's place.
 */
function inventoryNames(hosts: readonly InventoryHost[]): Map<number, string> {
  const sameName = Map.groupBy(hosts, ({ hostname }) => plainName(hostname));
  const withId = ({ id, hostname }: InventoryHost) => `${plainName(hostname)}_${id}`;
  const withIds = new Set(hosts.map(withId));
  return new Map(
    [...sameName].flatMap(([name, hostsOfName]) =>
      hostsOfName.map(
        (host) => [host.id, hostsOfName.length > 1 || withIds.has(name) ? withId(host) : name] as const,
      ),
    ),
  );
}

function valuesByName(tags: readonly string[]): Record<string, string[]> {
  const byName = Map.groupBy(tags.map(parsedTag), ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, tagsOfName]) => [name, tagsOfName.map(({ value }) => value).filter(Boolean)]),
  );
}

/** Group names that no template or shell acts on. */
const PLAIN_GROUP = /^[\p{L}\p{N} ._-]+$/u;

/** @param name of the host in the inventory @param groups the names of its host groups */
function variablesOf({ id, hostname, led, tags, address }: InventoryHost, name: string, groups: string[]) {
  const isPlain = address !== undefined && (isIP(address) > 0 || HOST_NAME.test(address));
  return {
    ...(isPlain && { ansible_host: address }),
    muster_id: id,
    muster_led: LED_WORDS[led] ?? "gray",
    [VARIABLES.tags]: valuesByName(tags),
    [VARIABLES.groups]: groups.filter((group) => PLAIN_GROUP.test(group)),
    ...(hostname !== name && plainName(hostname) === hostname && { [VARIABLES.hostname]: hostname }),
  };
}

interface GroupMembers {
  hosts: Set<string>;
  children: Set<string>;
}

/**
 * Every host with its variables, and the groups: host groups by their names, `tag_NAME` for each name of a tag,
 * and within it `tag_NAME_VALUE` for each value.
 */
export function inventoryOf(hosts: readonly InventoryHost[], hostGroups: readonly InventoryGroup[]) {
  const names = inventoryNames(hosts);
  const groups = new Map<string, GroupMembers>();
  const group = (name: string) => {
    const members = groups.get(name) ?? { hosts: new Set(), children: new Set() };
    groups.set(name, members);
    return members;
  };
  for (const { name, hosts: ids } of hostGroups)
    for (const id of ids) group(groupName(name)).hosts.add(names.get(id) ?? "");
  for (const { id, tags } of hosts)
    for (const { name, value } of tags.map(parsedTag)) {
      const [parent, child] = [groupName(`tag_${name}`), groupName(`tag_${name}_${value}`)];
      if (value !== "") group(parent).children.add(child);
      group(value === "" ? parent : child).hosts.add(names.get(id) ?? "");
    }
  const groupsOf = new Map<number, string[]>();
  for (const { name, hosts: ids } of hostGroups)
    for (const id of ids) groupsOf.set(id, [...(groupsOf.get(id) ?? []), name]);
  const hostvars = hosts.map((host) => {
    const name = names.get(host.id) ?? "";
    return [name, variablesOf(host, name, groupsOf.get(host.id) ?? [])] as const;
  });
  const nested = new Set([...groups.values()].flatMap(({ children }) => [...children]));
  const grouped = new Set([...groups.values()].flatMap((members) => [...members.hosts]));
  const listed = ({ hosts: members, children }: GroupMembers) => ({
    hosts: [...members].filter(Boolean).sort(),
    ...(children.size > 0 && { children: [...children].sort() }),
  });
  return {
    _meta: { hostvars: Object.fromEntries(hostvars) },
    all: { children: ["ungrouped", ...[...groups.keys()].filter((name) => !nested.has(name)).sort()] },
    ungrouped: { hosts: [...names.values()].filter((name) => !grouped.has(name)).sort() },
    ...Object.fromEntries([...groups].sort().map(([name, members]) => [name, listed(members)])),
  };
}
