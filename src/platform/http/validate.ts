/**
 * Arguments arrive as text, while schemas describe numbers and booleans. This module converts the text and
 * reports the first invalid argument by name. Schemas shared by several features are here; those of one
 * feature are in its schemas file.
 */

import * as v from "valibot";
import { cut, isVisible } from "../text.ts";
import type { Arguments } from "./context.ts";
import { errors } from "./errors.ts";
import { optionFor, tagsOf } from "./variants.ts";

export type ArgumentSchema =
  | v.ObjectSchema<v.ObjectEntries, undefined>
  | v.StrictObjectSchema<v.ObjectEntries, undefined>;

/** Attaches a phrase to a schema that completes "<name> must be ...". */
export function allowing<const T extends v.GenericSchema>(schema: T, allowed: string) {
  return v.pipe(schema, v.metadata({ allowed }));
}

/** The phrase that `allowing` attached to this schema itself; `allowedValue` also looks into it. */
export function allowedBy(schema: v.GenericSchema): string | undefined {
  const { allowed } = v.getMetadata(schema);
  return typeof allowed === "string" ? allowed : undefined;
}

/** Attaches the description of an argument or reply field that the API's documentation shows. */
export function described<const T extends v.GenericSchema>(schema: T, meaning: string) {
  return v.pipe(schema, v.description(meaning));
}

/** A whole number within bounds, both included. @param allowed completes "NAME must be ..." */
export function integer(min: number, max: number, allowed = `a whole number from ${min} to ${max}`) {
  return allowing(v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)), allowed);
}

/** A text. @param min @param max UTF-16 code units */
export function text(min: number, max: number) {
  const allowed = min > 0 ? `a text of ${min} to ${max} characters` : `a text of at most ${max} characters`;
  return allowing(v.pipe(v.string(), v.minLength(min), v.maxLength(max)), allowed);
}

/** A name that people give to something: none that looks like nothing. @param max UTF-16 code units */
export function nameText(max: number) {
  const any = text(1, max);
  return allowing(v.pipe(any, v.check(isVisible)), `${allowedBy(any)}, at least one of them visible`);
}

/** One of these values: texts, compared with case, or numbers, to which an argument that comes as text is converted. */
export function oneOf<const T extends readonly string[] | readonly number[]>(values: T) {
  return allowing(v.picklist(values), `one of ${values.join(", ")}`);
}

export const id = integer(0, Number.MAX_SAFE_INTEGER, "an id (a whole number)");
/** A negative number is the id of an object that existed at a moment in the past and no longer does. */
export const momentId = integer(
  -Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
  "an id (a whole number; negative if it existed only at the moment)",
);
export const unixTimestamp = integer(0, 253_402_300_799, "a unix timestamp in seconds");
export const bitmask = integer(1, 0x7fffffff, "a sum of event type codes");
export const boolean = allowing(v.boolean(), "true, false, 1 or 0");
export const previewDays = described(
  v.optional(integer(1, 31, "a number of days from 1 to 31"), 7),
  "number of past days to preview",
);
export const webAddress = allowing(
  v.pipe(
    v.string(),
    v.maxLength(2048),
    v.check((url) => url === "" || (URL.canParse(url) && /^https?:\/\/[^/]/i.test(url))),
  ),
  "an address that begins with http:// or https://, or empty for none",
);

/** When an argument counts: if another argument has this value or, with `orAbsent`, is absent. */
interface Condition {
  name: string;
  value: number;
  orAbsent: boolean;
}

/** Makes an argument count only under a condition. Otherwise it is ignored, whatever its value. */
export function countingIf<const T extends v.GenericSchema>(schema: T, condition: Condition) {
  return v.pipe(schema, v.metadata({ countingIf: condition }));
}

function counts(schema: v.GenericSchema, args: Arguments): boolean {
  const condition = v.getMetadata(schema).countingIf as Condition | undefined;
  if (condition === undefined) return true;
  const value = args.get(condition.name)?.at(-1);
  return value === undefined ? condition.orAbsent : Number(value) === condition.value;
}

/** Schema of an id argument: `idOf("host")`. */
export function idOf(noun: string) {
  return described(id, `id of the ${noun}`);
}

/** The most values of a repeated argument. Each becomes a bound parameter; SQLite allows 32,766. */
const MAX_REPEATED = 10_000;

/** The schema, or an empty text. */
export function orEmpty<const T extends v.GenericSchema>(schema: T) {
  return allowing(v.union([schema, v.literal("")]), `${allowedBy(schema)}, or empty for none`);
}

/** A list that one empty text clears. An absent list is kept by an update. `itemsOf` drops the empty text. */
export function emptiable<T extends v.GenericSchema>(item: T) {
  return v.array(orEmpty(item));
}

/** The values of an `emptiable` list without the empty text. */
export function itemsOf<T extends string | number>(values: readonly (T | "")[]): T[] {
  return values.filter((value): value is T => value !== "");
}

export const nothing = v.object({});

/** The arguments of an operation that also answers for a moment in the past. */
export function withMoment({ entries }: ArgumentSchema): ArgumentSchema {
  return v.object({
    ...entries,
    at: described(v.optional(unixTimestamp), "the moment in the past to answer for; without it, the present"),
  });
}

function inner(schema: v.GenericSchema): v.GenericSchema {
  return "wrapped" in schema ? inner(schema.wrapped as v.GenericSchema) : schema;
}

function fromText(schema: v.GenericSchema, value: string): unknown {
  const unwrapped = inner(schema);
  if (unwrapped.type === "boolean")
    return { true: true, "1": true, false: false, "0": false }[value] ?? value;
  if (unwrapped.type === "union") return fromText(firstOption(unwrapped) as v.GenericSchema, value);
  const numeric =
    unwrapped.type === "number" ||
    (unwrapped.type === "picklist" && typeof firstOption(unwrapped) === "number");
  return numeric && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
}

function firstOption(schema: v.GenericSchema): unknown {
  return "options" in schema && Array.isArray(schema.options) ? schema.options[0] : undefined;
}

function itemOf(schema: v.GenericSchema): v.GenericSchema | null {
  const unwrapped = inner(schema);
  return unwrapped.type === "array" && "item" in unwrapped ? (unwrapped.item as v.GenericSchema) : null;
}

/** The phrase that describes an argument's allowed value, or that of each item of a list. */
export function allowedValue(schema: v.GenericSchema): string | undefined {
  const allowed = allowedBy(schema);
  if (allowed !== undefined) return allowed;
  if ("wrapped" in schema) return allowedValue(schema.wrapped as v.GenericSchema);
  return schema.type === "array" && "item" in schema
    ? allowedValue(schema.item as v.GenericSchema)
    : undefined;
}

/**
 * Converts and validates arguments. The last value of a repeated scalar wins; unknown names are ignored.
 * @throws ApiError 400 naming the argument and the allowed values
 */
export function validate<S extends ArgumentSchema>(schema: S, args: Arguments): v.InferOutput<S> {
  const raw: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(schema.entries) as [string, v.GenericSchema][]) {
    const values = args.get(name);
    if (!values || !counts(entry, args)) continue;
    const item = itemOf(entry);
    if (item && values.length > MAX_REPEATED)
      throw errors.badArgument(name, `given at most ${MAX_REPEATED} times`);
    raw[name] = item ? values.map((value) => fromText(item, value)) : fromText(entry, values.at(-1) ?? "");
  }
  const result = v.safeParse(schema, raw, { abortEarly: true });
  if (result.success) return result.output;
  const name = String(result.issues[0].path?.[0]?.key ?? "");
  const allowed = allowedValue(schema.entries[name] as v.GenericSchema) ?? "valid";
  throw Object.hasOwn(raw, name) ? errors.badArgument(name, allowed) : errors.missingArgument(name, allowed);
}

/** Longest name of an unknown argument that an error repeats, characters. */
export const MAX_REPEATED_NAME = 100;

type Path = readonly (string | number)[];

/** A place in an argument: `filter.hosts[2]`. */
export function pathText(path: Path): string {
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}

/** The schema at a place of a value; undefined if it is not declared. */
function schemaAt(schema: v.GenericSchema, path: Path, value: unknown): v.GenericSchema | undefined {
  const [key, ...rest] = path;
  const unwrapped = inner(schema);
  const isObject = typeof value === "object" && value !== null;
  const option = isObject ? optionFor(unwrapped, value) : undefined;
  if (option) return schemaAt(option, path, value);
  if (key === undefined) return schema;
  const tags = tagsOf(unwrapped, key);
  if (tags.length > 0) return oneOf(tags);
  const next = partOf(unwrapped, key);
  const nextValue = isObject ? (value as Record<string | number, unknown>)[key] : undefined;
  return next ? schemaAt(next, rest, nextValue) : undefined;
}

/** The schema of an item of a list, or of a field of an object; undefined if it is not declared. */
function partOf(schema: v.GenericSchema, key: string | number): v.GenericSchema | undefined {
  if ("item" in schema) return schema.item as v.GenericSchema;
  if (!("entries" in schema) || !Object.hasOwn(schema.entries as object, key)) return undefined;
  return (schema.entries as v.ObjectEntries)[key] as v.GenericSchema;
}

/** The phrase that describes what is allowed at a place, if one is declared. */
export function declaredAt(schema: v.GenericSchema, path: Path, value: unknown): string | undefined {
  const place = schemaAt(schema, path, value);
  return place && allowedValue(place);
}

/** What is allowed at a place, in words. */
function allowedAt(schema: v.GenericSchema, path: Path, value: unknown): string {
  const place = schemaAt(schema, path, value);
  if (!place) return "valid";
  const unwrapped = inner(place);
  // In a form, 1 and 0 are flags too.
  if (unwrapped.type === "boolean") return "true or false";
  if (unwrapped.type !== "array") return allowedValue(place) ?? "an object";
  const ofItem = "item" in unwrapped ? allowedValue(unwrapped.item as v.GenericSchema) : undefined;
  return allowedBy(unwrapped) ?? (ofItem ? `a list, each ${ofItem}` : "a list of objects");
}

/**
 * The place of a list where the schema has an object; null if there is none. Valibot accepts `[]` as `{}`, and an empty
 * filter would match everything. @param value has passed Valibot's validation
 */
function listForObject(schema: v.GenericSchema, value: unknown, path: Path = []): Path | null {
  if (typeof value !== "object" || value === null) return null;
  const unwrapped = inner(schema);
  const place = optionFor(unwrapped, value) ?? unwrapped;
  const isList = Array.isArray(value);
  if (isList && "entries" in place) return path;
  for (const [key, part] of Object.entries(value)) {
    const schemaOfPart = partOf(place, key);
    const found = schemaOfPart && listForObject(schemaOfPart, part, [...path, isList ? Number(key) : key]);
    if (found) return found;
  }
  return null;
}

/**
 * Validates values that already have their types.
 * @throws ApiError 400 naming the place of the value, as in `filter.hosts[2]`, and what is allowed there
 */
export function checked<S extends v.GenericSchema>(schema: S, raw: object): v.InferOutput<S> {
  const result = v.safeParse(schema, raw, { abortEarly: true });
  if (result.success) {
    const place = listForObject(schema, raw);
    if (place) throw errors.badArgument(pathText(place), "an object");
    return result.output;
  }
  const [issue] = result.issues;
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
  const name = pathText(path);
  if (issue.expected === "never") {
    const parent = schemaAt(schema, path.slice(0, -1), raw);
    const entries = parent && "entries" in inner(parent) ? (inner(parent) as ArgumentSchema).entries : {};
    throw errors.unknownArgument(cut(name, MAX_REPEATED_NAME), Object.keys(entries));
  }
  const error = issue.path?.at(-1)?.origin === "key" ? errors.missingArgument : errors.badArgument;
  throw error(name, allowedAt(schema, path, raw));
}
