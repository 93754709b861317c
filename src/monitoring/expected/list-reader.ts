/** Reads lists of hosts in every form, and works out the settings of each host. Pure functions. */
import * as v from "valibot";
import { allowedBy } from "../../platform/http/validate.ts";
import { reasonOf } from "../../platform/text.ts";
import { INITIAL_SETTINGS } from "../hosts/host-settings.ts";
import { hostSettings } from "../hosts/hosts.schemas.ts";
import { tag } from "../tags/tags.schemas.ts";
import { hasContent, isCsvHeader, readCsv } from "./csv-list.ts";
import { type LIST_FORMS, MAX_EXPECTED, MAX_GROUPS, reportedName } from "./expected.schemas.ts";
import { HostList, type ListedHost, type Wrong } from "./host-list.ts";
import { readIni } from "./ini-inventory.ts";
import { readTree } from "./tree-inventory.ts";
import { groupsOf, tagsOf, type Variables, WrongValue } from "./variables.ts";

export type ListForm = (typeof LIST_FORMS)[number];

/** A host of a list. */
export interface ReadHost {
  line: number;
  hostname: string;
  /** Names of host groups. */
  groups: string[];
  tags: string[];
  description: string;
  skew: number;
  /** Why it is ambiguous; "" if it is not. */
  ambiguous: string;
}

/** Groups that every inventory has. They do not stand for host groups. */
const NO_GROUPS: ReadonlySet<string> = new Set(["all", "ungrouped"]);

/** Guesses the form of a list. */
export function recognisedForm(text: string): ListForm {
  const lines = text.split("\n").map((line) => line.trim());
  const [first = ""] = lines.filter(hasContent);
  if (first.startsWith("{")) return "json";
  if (isCsvHeader(first)) return "csv";
  if (first === "---" || /^[^\s:[\]=,]+:\s*(?:#.*)?$/.test(first) || /^- \S/.test(first)) return "yaml";
  return lines.some((line) => /^\[.+\]$/.test(line) || /\s\w+=/.test(line)) ? "ini" : "names";
}

/** The groups of a host and those around them, the innermost first; cut at a bound. */
function groupsAround(list: HostList, names: Iterable<string>): string[] {
  const around = new Set(names);
  for (const name of around) {
    for (const parent of list.groups.get(name)?.parents ?? []) {
      if (around.size > MAX_GROUPS + NO_GROUPS.size) return [...around];
      around.add(parent);
    }
  }
  return [...around];
}

function checked<S extends v.GenericSchema>(schema: S, value: unknown, name: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new WrongValue(`${name} must be ${allowedBy(schema) ?? "valid"}`);
}

function entryOf(list: HostList, name: string, host: ListedHost): ReadHost {
  const { line, variables: ofHost, groups: named, otherLine } = host;
  const around = groupsAround(list, named);
  const levels: Variables[] = [
    list.groups.get("all")?.variables ?? {},
    ...around.map((group) => list.groups.get(group)?.variables ?? {}).reverse(),
    ofHost,
  ];
  const merged: Variables = Object.assign({}, ...levels);
  const ofGroups = around.filter((group) => !NO_GROUPS.has(group));
  // Groups that are set by a variable replace those of the inventory, which serve other purposes, too.
  const isSaid = levels.some((level) => level.groups !== undefined);
  const groups = groupsOf(isSaid ? levels.flatMap((level) => level.groups ?? []) : ofGroups);
  const tags = tagsOf(levels.flatMap((level) => level.tags ?? [])).map((text) =>
    checked(tag, text, `The tag ${text.slice(0, 80)}`),
  );
  const { hostname, description, skew } = merged;
  return {
    line,
    hostname: checked(reportedName, hostname ?? name, "hostname"),
    groups,
    tags: [...new Set(tags)],
    description: checked(hostSettings.description, description ?? "", "description"),
    skew:
      skew === undefined || skew === null
        ? INITIAL_SETTINGS.skew
        : checked(hostSettings.skew, Number(skew), "skew"),
    ambiguous: otherLine === null ? "" : `line ${otherLine} has it with other settings`,
  };
}

function readAs(form: ListForm, list: HostList, text: string): void {
  if (form === "csv") {
    readCsv(list, text);
    return;
  }
  if (form === "ini" || form === "names") {
    readIni(list, text);
    return;
  }
  try {
    readTree(list, form === "json" ? JSON.parse(text) : Bun.YAML.parse(text), text);
  } catch (error) {
    // Each parser has its own kind of error for text that is not well-formed.
    list.refuse(
      lineIn(reasonOf(error), text),
      text.trimStart().slice(0, 80),
      `it is not well-formed: ${reasonOf(error)}`,
    );
  }
}

/** The line that a parser's message names; 1 without one. */
function lineIn(message: string, text: string): number {
  const line = Number(/line (\d+)/i.exec(message)?.[1] ?? 1);
  return Math.min(line, text.split("\n").length);
}

/**
 * Reads a list of a given form.
 * @returns the hosts by their lines, what cannot be read, and the columns that are ignored
 */
export function readHostList(
  text: string,
  form: ListForm,
): { hosts: ReadHost[]; wrong: Wrong[]; ignoredColumns: string[] } {
  const lines = text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const list = new HostList(MAX_EXPECTED);
  readAs(form, list, lines);
  const hosts: ReadHost[] = [];
  for (const [name, host] of list.hosts)
    try {
      hosts.push(entryOf(list, name, host));
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      list.refuse(host.line, name, error.message);
    }
  const sameName = Map.groupBy(hosts, ({ hostname }) => hostname);
  for (const [, same] of sameName)
    for (const host of same)
      if (same.length > 1) host.ambiguous = `the list has ${same.length} hosts of this name`;
  return {
    hosts: hosts.sort((a, b) => a.line - b.line),
    wrong: list.wrong,
    ignoredColumns: list.ignoredColumns,
  };
}
