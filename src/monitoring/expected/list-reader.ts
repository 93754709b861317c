/** Reads lists of hosts in every form, and works out the settings of each host. Pure functions. */
import * as v from "valibot";
import { allowedBy } from "../../platform/http/validate.ts";
import { reasonOf } from "../../platform/text.ts";
import { INITIAL_SETTINGS } from "../hosts/host-settings.ts";
import { hostSettings } from "../hosts/hosts.schemas.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tag } from "../tags/tags.schemas.ts";
import { hasContent, isCsvHeader, readCsv } from "./csv-list.ts";
import { type LIST_FORMS, MAX_EXPECTED, MAX_GROUPS, reportedName } from "./expected.schemas.ts";
import { HostList, type ListedHost, VARIABLES, type Variables, type Wrong } from "./host-list.ts";
import { readIni } from "./ini-inventory.ts";
import { readTree } from "./tree-inventory.ts";

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

/** Texts in a list, or in a text that separates them by commas, semicolons or bars. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== "string") return [];
  const trimmed = value.trim();
  if (trimmed.startsWith("["))
    try {
      return textsIn(JSON.parse(trimmed));
    } catch {
      // Not JSON: its brackets are part of the texts.
    }
  return trimmed
    .split(/[,;|]/)
    .map((text) => text.trim())
    .filter(Boolean);
}

/** Tags as texts, or as `muster inventory` prints them: the values of each name. */
function tagsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return textsIn(value);
  return Object.entries(value).flatMap(([name, values]) => {
    const texts = textsIn(values);
    return texts.length === 0 ? [name] : texts.map((text) => `${name}=${text}`);
  });
}

/** The groups of a host and those around them, the innermost first; cut at a bound. */
function groupsAround(list: HostList, names: Iterable<string>): string[] {
  const around = new Set(names);
  for (const name of around) {
    if (around.size > MAX_GROUPS + NO_GROUPS.size) break;
    for (const parent of list.groups.get(name)?.parents ?? []) around.add(parent);
  }
  return [...around];
}

function textOf(value: unknown, otherwise: string): string {
  return value === undefined || value === null ? otherwise : String(value).trim();
}

class WrongValue extends Error {}

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
  const all = (names: (value: unknown) => string[], variable: string) => [
    ...new Set(levels.flatMap((level) => names(level[variable]))),
  ];
  // Groups that are set by a variable replace those of the inventory, which serve other purposes, too.
  const isSaid = levels.some((level) => level[VARIABLES.groups] !== undefined);
  const groups = isSaid ? all(textsIn, VARIABLES.groups) : ofGroups;
  const tags = all(tagsIn, VARIABLES.tags).map((text) => checked(tag, text, `The tag ${text.slice(0, 80)}`));
  if (groups.length > MAX_GROUPS) throw new WrongValue(`it is in more than ${MAX_GROUPS} groups`);
  if (tags.length > MAX_TAGS) throw new WrongValue(`it has more than ${MAX_TAGS} tags`);
  const skew = merged[VARIABLES.skew];
  return {
    line,
    hostname: checked(reportedName, textOf(merged[VARIABLES.hostname], name), "hostname"),
    groups,
    tags: [...new Set(tags)],
    description: checked(hostSettings.description, textOf(merged[VARIABLES.description], ""), "description"),
    skew: skew === undefined ? INITIAL_SETTINGS.skew : checked(hostSettings.skew, Number(skew), "skew"),
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
