/** Tags of hosts, such as `critical` or `env=prod`. Pure functions. */
import { sortKey } from "../../platform/sort-key.ts";

/** NAME or NAME=VALUE, in its parts. */
export interface Tag {
  name: string;
  /** Empty for a tag without a value. */
  value: string;
}

/** The most tags of one host. */
export const MAX_TAGS = 50;
/** Longest name and longest value, characters. */
export const MAX_NAME = 64;
export const MAX_VALUE = 128;

const LATER = String.raw`[\p{L}\p{M}\p{N}_.:/@+-]`;
const TAG = new RegExp(
  String.raw`^[\p{L}\p{N}]${LATER}{0,${MAX_NAME - 1}}(?:=${LATER}{1,${MAX_VALUE}})?$`,
  "u",
);

/** A tag as typed, in the form that is stored: in lower case, white space as underscores. */
export function normalisedTag(text: string): string {
  return sortKey(text.trim()).replaceAll(/\s+/g, "_");
}

/** Whether a normalised text is a tag. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** The parts of a tag as it is stored. Any other text gets parts, too. */
export function parsedTag(text: string): Tag {
  const [name = "", value = ""] = text.split("=");
  return { name, value };
}

/** A tag as it is stored and shown: NAME or NAME=VALUE. */
export function tagText({ name, value }: Tag): string {
  return value === "" ? name : `${name}=${value}`;
}

/**
 * The conditions of a filter by tags: for each name, the values, one of which a host must have. Null stands for any
 * value: a name alone matches the tag with every value and without one.
 */
export function tagConditions(filter: readonly string[]): { name: string; values: string[] | null }[] {
  return [...Map.groupBy(filter.map(parsedTag), ({ name }) => name)].map(([name, tags]) => {
    const values = [...new Set(tags.map(({ value }) => value))];
    return { name, values: values.includes("") ? null : values };
  });
}

/** Whether a host with these tags matches a filter: tags of one name are alternatives, all names must match. */
export function matchesTags(filter: readonly string[], tags: readonly string[]): boolean {
  const present = tags.map(parsedTag);
  return tagConditions(filter).every(({ name, values }) =>
    present.some((tag) => tag.name === name && (values === null || values.includes(tag.value))),
  );
}
