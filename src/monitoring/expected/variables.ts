/** Reads what a list of hosts says of a host, or of a group of them. Pure functions. */
import { MAX_TAGS } from "../tags/tag.ts";
import { MAX_GROUPS } from "./expected.schemas.ts";

/** The names that the variables of a host have in an inventory. */
export const VARIABLES = {
  hostname: "muster_hostname",
  groups: "muster_groups",
  tags: "muster_tags",
  description: "muster_description",
  skew: "muster_skew",
} as const;

/** What is said of a host, each once for all hosts of a range or group. A text is null where nothing is to be said. */
export interface Variables {
  readonly hostname?: string | null;
  readonly groups?: readonly string[];
  readonly tags?: readonly string[];
  readonly description?: string | null;
  readonly skew?: string | null;
}

/** Why what is said of a host cannot be read. */
export class WrongValue extends Error {}

/** @throws WrongValue for a list or an object: by aliases it may be far longer than the text that it is in */
function plainText(value: unknown, name: string): string {
  if (typeof value === "object") throw new WrongValue(`${name} must be text`);
  return String(value);
}

function textIn(value: unknown, name: string): string | null {
  return value === undefined || value === null ? null : plainText(value, name).trim();
}

/** What a text separates by commas, semicolons or bars, or has as a list in JSON. */
function separated(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("["))
    try {
      return JSON.parse(trimmed) as unknown[];
    } catch {
      // Not JSON: its brackets are part of the texts.
    }
  return trimmed
    .split(/[,;|]/)
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Texts in a list, or in a text that separates them. */
function textsIn(value: unknown, name: string): string[] {
  const values = typeof value === "string" ? separated(value) : value;
  return Array.isArray(values) ? values.map((each) => plainText(each, name)) : [];
}

/** Tags as texts, or as `muster inventory` prints them: the values of each name. */
function tagsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return textsIn(value, "tags");
  return Object.entries(value).flatMap(([name, values]) => {
    const texts = textsIn(values, "tags");
    return texts.length === 0 ? [name] : texts.map((text) => `${name}=${text}`);
  });
}

/** Names of groups, each once. @throws WrongValue if there are too many for a host */
export function groupsOf(names: Iterable<string>): string[] {
  const different = [...new Set(names)];
  if (different.length > MAX_GROUPS) throw new WrongValue(`it is in more than ${MAX_GROUPS} groups`);
  return different;
}

/** Tags, each once. @throws WrongValue if there are too many for a host */
export function tagsOf(tags: Iterable<string>): string[] {
  const different = [...new Set(tags)];
  if (different.length > MAX_TAGS) throw new WrongValue(`it has more than ${MAX_TAGS} tags`);
  return different;
}

/**
 * What the variables of a host or group say. Others are ignored.
 * @throws WrongValue
 */
export function readVariables(variables: Readonly<Record<string, unknown>>): Variables {
  const said = (name: keyof typeof VARIABLES) => variables[VARIABLES[name]];
  const isSaid = (name: keyof typeof VARIABLES) => Object.hasOwn(variables, VARIABLES[name]);
  return {
    ...(isSaid("hostname") && { hostname: textIn(said("hostname"), "hostname") }),
    ...(isSaid("groups") && { groups: groupsOf(textsIn(said("groups"), "groups")) }),
    ...(isSaid("tags") && { tags: tagsOf(tagsIn(said("tags"))) }),
    ...(isSaid("description") && { description: textIn(said("description"), "description") }),
    ...(isSaid("skew") && { skew: textIn(said("skew"), "skew") }),
  };
}
