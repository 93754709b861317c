/** A list of hosts as its form has it: names with variables, and groups of them. */
import { BadRange, expandedName } from "./host-range.ts";
import { readVariables, type Variables, WrongValue } from "./variables.ts";

/** The variables of a host or group as its form has them, of which most mean nothing here. */
export type RawVariables = Readonly<Record<string, unknown>>;

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
  #isFull = false;

  /** @param most hosts that the list may name */
  constructor(private readonly most: number) {}

  /** Notes a part of the list that cannot be read. @param line its number, from 1 */
  refuse(line: number, text: string, reason: string): void {
    this.wrong.push({ line, text: text.slice(0, MAX_TEXT), reason });
  }

  /**
   * Adds the hosts that a name with ranges stands for. What comes after too many is left out.
   * @param group in which they are named; "" for none
   */
  add(name: string, line: number, raw: RawVariables = {}, group = ""): void {
    if (this.#isFull) return;
    this.#reading(name, line, () => {
      const variables = readVariables(raw);
      const names = expandedName(name, this.most);
      this.#places += names.length;
      this.#isFull =
        this.#places > MAX_PLACES || !names.every((each) => this.#put(each, line, variables, group));
      if (this.#isFull) this.refuse(line, name, `there are more than ${this.most} hosts`);
    });
  }

  /** Adds a host of a form that has one line for each host. */
  addRow(name: string, line: number, raw: RawVariables): void {
    const before = this.hosts.get(name);
    if (!before) this.add(name, line, raw);
    else
      this.#reading(name, line, () => {
        if (JSON.stringify(before.variables) !== JSON.stringify(readVariables(raw)))
          before.otherLine ??= line;
      });
  }

  /** The group with this name, which is added if it is new. */
  group(name: string): ListedGroup {
    const group = this.groups.get(name) ?? { parents: new Set(), variables: {} };
    this.groups.set(name, group);
    return group;
  }

  /** Adds variables to a group. Those with the same names are replaced. */
  setGroupVariables(name: string, line: number, raw: RawVariables): void {
    const group = this.group(name);
    this.#reading(name, line, () => {
      group.variables = { ...group.variables, ...readVariables(raw) };
    });
  }

  /** Reads a part of the list, which is refused with a reason if it cannot be read. */
  #reading(name: string, line: number, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof BadRange || error instanceof WrongValue)) throw error;
      this.refuse(line, name, error.message);
    }
  }

  /** @returns false if there are too many hosts */
  #put(name: string, line: number, variables: Variables, group: string): boolean {
    const host = this.hosts.get(name) ?? { line, variables: {}, groups: new Set(), otherLine: null };
    if (!this.hosts.has(name) && this.hosts.size >= this.most) return false;
    this.hosts.set(name, host);
    host.variables = { ...host.variables, ...variables };
    if (group !== "") host.groups.add(group);
    return true;
  }
}
