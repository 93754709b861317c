/** A list of hosts as its form has it: names with variables, and groups of them. */
import { BadRange, expandedName } from "./host-range.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** The variables of a host in a list. Their names in an inventory begin with `muster_`. */
export const VARIABLES = {
  hostname: "muster_hostname",
  groups: "muster_groups",
  tags: "muster_tags",
  description: "muster_description",
  skew: "muster_skew",
} as const;

/** The most places at which hosts are named: a host is named once in each of its groups. */
const MAX_PLACES = 100_000;
/** Longest text of a list that a reason or reply repeats, characters. */
const MAX_TEXT = 255;

/** A part of the list that cannot be read. */
export interface Wrong {
  line: number;
  text: string;
  reason: string;
}

export interface ListedHost {
  line: number;
  variables: Variables;
  /** Names of the groups in which it is named. */
  groups: Set<string>;
  /** The later line that gives it other variables, in forms with one line for each host; null if there is none. */
  otherLine: number | null;
}

interface ListedGroup {
  parents: Set<string>;
  variables: Variables;
}

/** Collects hosts and groups while a list is read. */
export class HostList {
  readonly hosts = new Map<string, ListedHost>();
  readonly groups = new Map<string, ListedGroup>();
  readonly wrong: Wrong[] = [];
  /** Names of columns that mean nothing here, such as misspelt ones. */
  ignoredColumns: string[] = [];
  #places = 0;

  /** @param most hosts that the list may name */
  constructor(private readonly most: number) {}

  /** Notes a part of the list that cannot be read. @param line its number, from 1 */
  refuse(line: number, text: string, reason: string): void {
    this.wrong.push({ line, text: text.slice(0, MAX_TEXT), reason });
  }

  /**
   * Adds the hosts that a name with ranges stands for.
   * @param group in which they are named; "" for none
   */
  add(name: string, line: number, variables: Variables = {}, group = ""): void {
    try {
      for (const each of expandedName(name, this.most)) {
        const host = this.#host(each, line);
        if (!host) {
          this.refuse(line, name, `there are more than ${this.most} hosts`);
          return;
        }
        host.variables = { ...host.variables, ...variables };
        if (group !== "") host.groups.add(group);
      }
    } catch (error) {
      if (!(error instanceof BadRange)) throw error;
      this.refuse(line, name, error.message);
    }
  }

  /** Adds a host of a form that has one line for each host. */
  addRow(name: string, line: number, variables: Variables): void {
    const before = this.hosts.get(name);
    if (!before) this.add(name, line, variables);
    else if (JSON.stringify(before.variables) !== JSON.stringify(variables)) before.otherLine ??= line;
  }

  /** The group with this name, which is added if it is new. */
  group(name: string): ListedGroup {
    const group = this.groups.get(name) ?? { parents: new Set(), variables: {} };
    this.groups.set(name, group);
    return group;
  }

  /** Adds variables to a group. Those with the same names are replaced. */
  setGroupVariables(name: string, variables: Variables): void {
    const group = this.group(name);
    group.variables = { ...group.variables, ...variables };
  }

  /** The host of a name; null if there are too many. */
  #host(name: string, line: number): ListedHost | null {
    const host = this.hosts.get(name) ?? { line, variables: {}, groups: new Set(), otherLine: null };
    this.#places++;
    if (this.#places > MAX_PLACES || (!this.hosts.has(name) && this.hosts.size >= this.most)) return null;
    this.hosts.set(name, host);
    return host;
  }
}
