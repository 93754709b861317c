/**
 * Decides which hosts, groups and users of another server an import brings along. What was set here stays: an import
 * only adds what is missing.
 */
import * as v from "valibot";
import { uname } from "../../accounts/users/users.schemas.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { INITIAL_SETTINGS } from "../../monitoring/hosts/host-settings.ts";
import { type HostSettings, hostSettings } from "../../monitoring/hosts/hosts.schemas.ts";
import { cut } from "../../platform/text.ts";
import type { PredecessorGroup, PredecessorHost, PredecessorUser } from "./predecessor.schemas.ts";

/** Longest text of a user, characters. */
const MAX_TEXT = 255;
const MD5 = /^[0-9A-F]{32}$/;

/** The sections of an exported document that an import from another server reads and writes. */
const exportedHost = v.looseObject({
  agentid: v.string(),
  ...hostSettings,
  ignored: v.boolean(),
  groups: v.array(v.string()),
  tags: v.array(v.string()),
});
type ExportedHost = v.InferOutput<typeof exportedHost>;
export const exported = v.object({
  groups: v.array(v.object({ name: v.string() })),
  hosts: v.array(exportedHost),
});
/** The list of all users here. An export has only those with a local password. */
export const usersHere = v.array(v.object({ uname: v.string(), origin: v.string() }));

/** What is here already. */
type Present = v.InferOutput<typeof exported> & { users: v.InferOutput<typeof usersHere> };

export interface PredecessorConfiguration {
  hosts: readonly PredecessorHost[];
  groups: readonly PredecessorGroup[];
  users: readonly PredecessorUser[];
}

interface Outcome {
  added: number;
  /** Objects that are here already, and get something that they lack. */
  completed: number;
  /** Objects that are here already, and stay as they are. */
  same: number;
}

export interface BroughtAlong {
  /** A document for the import. */
  document: { muster: 1; groups: object[]; hosts: object[]; users: object[] };
  /** Agent ids of the hosts that are here afterwards. */
  hosts: ReadonlySet<string>;
  outcomes: Record<"groups" | "hosts" | "users", Outcome>;
  /** Sentences about what is left out. */
  remarks: string[];
}

/** The settings of the other server that Muster can take, and the names of those that it cannot. */
function settingsOf(host: PredecessorHost): { settings: HostSettings; refused: string[] } {
  const settings: Record<string, unknown> = { ...INITIAL_SETTINGS, hostname: host.hostname };
  const refused: string[] = [];
  for (const name of ["keepname", "description", "ipaddrout", "portout", "sslout", "skew"] as const)
    if (v.is(hostSettings[name], host[name])) settings[name] = host[name];
    else refused.push(name);
  return { settings: settings as HostSettings, refused };
}

/** Completes a host that is here already: settings that still have their initial values come from the other server. */
function completed(present: ExportedHost, settings: HostSettings, groups: readonly string[]): ExportedHost {
  const filled = Object.entries(INITIAL_SETTINGS).flatMap(([name, initial]) => {
    const key = name as keyof typeof INITIAL_SETTINGS;
    return present[key] === initial ? [[name, settings[key]]] : [];
  });
  const named = present.keepname === 0 && settings.keepname === 1 && { hostname: settings.hostname };
  const all = [...new Set([...present.groups, ...groups])];
  return { ...present, ...Object.fromEntries(filled), ...named, groups: all };
}

const nothing = (): Outcome => ({ added: 0, completed: 0, same: 0 });

/** The names of the groups of each host, by its id on the other server. */
function namesOfGroups(groups: readonly PredecessorGroup[]): Map<number, string[]> {
  const names = new Map<number, string[]>();
  for (const { name, hosts } of groups)
    for (const id of new Set(hosts)) names.set(id, [...(names.get(id) ?? []), name]);
  return names;
}

function hostsOf({ hosts, groups }: PredecessorConfiguration, present: Present, remarks: string[]) {
  const here = new Map(present.hosts.map((host) => [host.agentid, host]));
  const groupsOf = namesOfGroups(groups);
  const outcome = nothing();
  const items: ExportedHost[] = [];
  const taken = new Set<string>();
  for (const host of hosts) {
    if (host.agentid === "" || !v.is(hostSettings.hostname, host.hostname)) {
      remarks.push(
        `host ${host.id}, "${cut(host.hostname, MAX_TEXT)}": it has no agent id or no proper name`,
      );
      continue;
    }
    taken.add(host.agentid);
    const { settings, refused } = settingsOf(host);
    if (refused.length > 0)
      remarks.push(`host "${host.hostname}": its ${refused.join(", ")} cannot be set in Muster`);
    const groupNames = groupsOf.get(host.id) ?? [];
    const presentHost = here.get(host.agentid);
    if (!presentHost) {
      const ignored = host.status === HOST_STATUS.ignored;
      items.push({ agentid: host.agentid, ...settings, ignored, groups: groupNames, tags: [] });
      outcome.added++;
      continue;
    }
    const item = completed(presentHost, settings, groupNames);
    if (Bun.deepEquals(item, presentHost)) outcome.same++;
    else {
      items.push(item);
      outcome.completed++;
    }
  }
  return { items, outcome, taken };
}

function addedGroups({ groups }: PredecessorConfiguration, present: Present) {
  const here = new Set(present.groups.map(({ name }) => name));
  const added = [...new Set(groups.map(({ name }) => name))].filter((name) => !here.has(name));
  const outcome = { added: added.length, completed: 0, same: groups.length - added.length };
  return { items: added.map((name) => ({ name })), outcome };
}

function addedUsers({ users }: PredecessorConfiguration, present: Present, remarks: string[]) {
  const here = new Map(present.users.map((user) => [user.uname, user.origin]));
  const outcome = nothing();
  const items: object[] = [];
  for (const { password, admin, ...texts } of users) {
    const origin = here.get(texts.uname);
    if (origin !== undefined) {
      if (origin !== "local")
        remarks.push(`user "${texts.uname}": the user of this name here signs in another way, and stays so`);
      outcome.same++;
      continue;
    }
    if (!v.is(uname, texts.uname)) {
      remarks.push(`user "${cut(texts.uname, MAX_TEXT)}": Muster cannot have a user of this name`);
      continue;
    }
    const md5 = password.toUpperCase();
    const hasPassword = MD5.test(md5);
    if (!hasPassword) remarks.push(`user "${texts.uname}": no password, as the server does not tell its MD5`);
    const bounded = Object.entries(texts).map(([name, value]) => [name, cut(value, MAX_TEXT)]);
    items.push({ ...Object.fromEntries(bounded), admin, ...(hasPassword && { password: md5 }) });
    outcome.added++;
  }
  return { items, outcome };
}

/**
 * Compares the configuration of the other server with this one, and makes the document that adds what is missing here.
 * @param present what is here already: the sections of an export, and the users
 */
export function broughtAlong(from: PredecessorConfiguration, present: Present): BroughtAlong {
  const remarks: string[] = [];
  const groups = addedGroups(from, present);
  const hosts = hostsOf(from, present, remarks);
  const users = addedUsers(from, present, remarks);
  return {
    document: { muster: 1, groups: groups.items, hosts: hosts.items, users: users.items },
    hosts: hosts.taken,
    outcomes: { groups: groups.outcome, hosts: hosts.outcome, users: users.outcome },
    remarks,
  };
}
