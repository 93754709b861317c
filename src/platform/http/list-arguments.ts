/** Arguments that are lists of a filter, which an update replaces as a whole or keeps. */
import * as v from "valibot";
import { errors } from "./errors.ts";
import { described, emptiable, itemsOf } from "./validate.ts";

/** Most hosts, groups or names in one filter. Every event or value is compared with all of them. */
const MAX_ITEMS = 1000;

export function few<T extends v.GenericSchema>(item: T, meaning: string) {
  return described(v.optional(v.pipe(emptiable(item), v.maxLength(MAX_ITEMS))), meaning);
}

/** The new value if one is given, otherwise the old one; undefined if that is empty. */
export function replaced<T extends string | number>(
  given: readonly (T | "")[] | undefined,
  before: T[] | undefined,
): T[] | undefined {
  if (given === undefined) return before;
  const items = [...new Set(itemsOf(given))];
  return items.length > 0 ? items : undefined;
}

/**
 * Rejects ids that do not exist. Ids that were in the filter before are allowed, since their object may have
 * been deleted.
 * @throws ApiError 400 that names the argument
 */
export function rejectUnknownIds(
  argument: string,
  what: string,
  ids: readonly number[] | undefined,
  before: readonly number[] | undefined,
  existing: (ids: readonly number[]) => ReadonlySet<number>,
): void {
  const added = (ids ?? []).filter((id) => !before?.includes(id));
  if (added.length === 0) return;
  const known = existing(added);
  const unknown = added.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw errors.badArgument(argument, `the id of a ${what}; there is no ${what} ${unknown}`);
}

/** The conditions that are given. */
export function defined<T extends object>(filter: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T;
}
