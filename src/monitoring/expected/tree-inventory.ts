/** Reads Ansible's inventory in YAML, or in JSON as inventory scripts print it, into a `HostList`. */
import type { HostList, RawVariables } from "./host-list.ts";

/** Deepest nesting of groups. */
const MAX_DEPTH = 20;
/** The first key or text of a line. It may contain ranges. No two parts begin alike, so there is one way to match a line. */
const KEY = /^[\s{,-]*["']?((?:\[[^\]]*\]|[^"'#\s:,[{-])(?:\[[^\]]*\]|[^"'#\s:,[])*)["']?\s*(?::|,|$)/;

type LineOf = (name: string) => number;

/** The line on which each name first appears; 0 for other names. */
function linesOf(text: string): LineOf {
  const lines = new Map<string, number>();
  for (const [i, line] of text.split("\n").entries()) {
    const name = KEY.exec(line)?.[1];
    if (name !== undefined && !lines.has(name)) lines.set(name, i + 1);
  }
  return (name) => lines.get(name) ?? 0;
}

function isObject(value: unknown): value is RawVariables {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

const variablesIn = (value: unknown): RawVariables => (isObject(value) ? value : {});

/** The names in a list; none if the value is not a list. */
function namesIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((name) => typeof name === "string" || typeof name === "number").map(String)
    : [];
}

class TreeReader {
  /** The names under which each group was read. An alias repeats a group, with all in it, in a few characters. */
  readonly #read = new Map<unknown, Set<string>>();

  constructor(
    private readonly list: HostList,
    private readonly lineOf: LineOf,
  ) {}

  /** A group of a YAML inventory, with the groups in it. */
  readGroup(name: string, value: unknown, depth: number): void {
    const line = this.lineOf(name);
    if (depth > MAX_DEPTH) {
      this.list.refuse(line, name, `groups are nested more than ${MAX_DEPTH} deep`);
      return;
    }
    if (value !== null && !isObject(value)) {
      this.list.refuse(line, name, "a group has hosts, children and vars");
      return;
    }
    const names = this.#read.get(value) ?? new Set();
    if (names.has(name)) return;
    this.#read.set(value, names.add(name));
    const { hosts, children, vars } = variablesIn(value);
    this.list.setGroupVariables(name, line, variablesIn(vars));
    for (const [host, variables] of entriesOf(hosts))
      this.list.add(host, this.lineOf(host), variablesIn(variables), name);
    for (const host of namesIn(hosts)) this.list.add(host, this.lineOf(host), {}, name);
    for (const [child, group] of entriesOf(children)) {
      this.readGroup(child, group, depth + 1);
      this.list.group(child).parents.add(name);
    }
  }

  /** A group of a script's output: its hosts, or an object with the names of hosts and groups. */
  readScriptGroup(name: string, value: unknown): void {
    const { hosts, children, vars } = Array.isArray(value) ? { hosts: value } : variablesIn(value);
    this.list.setGroupVariables(name, this.lineOf(name), variablesIn(vars));
    for (const host of namesIn(hosts)) this.list.add(host, this.lineOf(host), {}, name);
    for (const child of namesIn(children)) this.list.group(child).parents.add(name);
  }
}

/**
 * Reads an inventory of Ansible in YAML or JSON, or a list of names.
 * @param list receives what is read
 * @param value the parsed text: groups, or a list of names
 * @param text from which line numbers are taken
 */
export function readTree(list: HostList, value: unknown, text: string): void {
  const lineOf = linesOf(text);
  const reader = new TreeReader(list, lineOf);
  if (Array.isArray(value)) {
    for (const name of namesIn(value)) list.add(name, lineOf(name));
    return;
  }
  if (!isObject(value)) {
    list.refuse(1, text.slice(0, 80), "an inventory has groups of hosts");
    return;
  }
  const { _meta, ...groups } = value;
  const hostvars = entriesOf(variablesIn(_meta).hostvars);
  const isScript = _meta !== undefined;
  for (const [name, variables] of hostvars) list.add(name, lineOf(name), variablesIn(variables));
  for (const [name, group] of Object.entries(groups))
    if (isScript || Array.isArray(group) || Array.isArray(variablesIn(group).hosts))
      reader.readScriptGroup(name, group);
    else reader.readGroup(name, group, 0);
}
