/**
 * Expressions for which the engines have different words. Repositories write SQL that both understand, and use these
 * names for the rest. Each contains the words of both engines, so nothing is guessed from the text of a statement.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Markers: the first begins words that only SQLite reads, the second ends them and begins those of PostgreSQL, the
 * third ends those. For SQLite the latter are a comment.
 */
const MARKS = { begin: "/*<*/", between: "/*|", end: ">*/" } as const;

/** SQL in the words of each engine. Neither may have a parameter. */
function byEngine(sqlite: string, postgres: string): string {
  return `${MARKS.begin}${sqlite}${MARKS.between}${postgres}${MARKS.end}`;
}

/** A truth value as a literal, which the conditions of partial indexes need. SQLite stores them as numbers. */
export const TRUE = byEngine("1", "true");
export const FALSE = byEngine("0", "false");

/** The same for SQL of the query builder. */
export const isTrue = sql.raw(TRUE);
export const isFalse = sql.raw(FALSE);

/** Before a parameter or column that SQLite's planner must not use: see `HiddenParameters` and `unindexed`. */
export const HIDDEN = byEngine("+", "");

/** Keeps SQLite from using an index for a column: without statistics it would choose the wrong one. */
export function unindexed(column: SQLWrapper): SQL {
  return sql`${sql.raw(HIDDEN)}${column}`;
}

/** After the name of a table: SQLite has no statistics to choose an index by. */
export function indexedBy(index: string): SQL {
  return sql.raw(indexName(index));
}

/** `indexedBy` for a statement written as text. */
export function indexName(index: string): string {
  return byEngine(`indexed by ${index}`, "");
}

/** After the name of a table that is read in the order of its keys. */
export const notIndexed = sql.raw(byEngine("not indexed", ""));

/** Joins tables in the order in which they are written; `on` follows. */
export const JOINED_IN_ORDER = byEngine("cross join", "join");
export const joinedInOrder = sql.raw(JOINED_IN_ORDER);

/** A limit beyond all rows. SQLite also takes -1 for none, which PostgreSQL refuses. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Whether a text contains another one. */
export function contains(text: SQLWrapper, part: string): SQL {
  return sql`${sql.raw(byEngine("instr", "strpos"))}(${text}, ${part}) > 0`;
}

/**
 * Whether a text matches a pattern of letters, digits, sets of ASCII ones, "*" and "?". No other character in it may have
 * a meaning in a regular expression.
 */
export function matchesPattern(text: SQLWrapper, pattern: string): SQL {
  const before = byEngine("", "'^' || replace(replace(");
  const after = byEngine("", ", chr(63), '.'), '*', '.*') || '$'");
  return sql`${text} ${sql.raw(byEngine("glob", "~"))} (${sql.raw(before)}${pattern}${sql.raw(after)})`;
}

const LIST = [
  byEngine("select value from json_each(", "select value::bigint from jsonb_array_elements_text("),
  byEngine(")", "::jsonb) as each(value)"),
] as const;

/** A list of ids of any length, even empty, after "in". @param ids or a placeholder of them as JSON */
export function listOf(ids: readonly number[] | SQLWrapper): SQL {
  const list = "getSQL" in ids ? ids : sql`${JSON.stringify(ids)}`;
  return sql`(${sql.raw(LIST[0])}${list}${sql.raw(LIST[1])})`;
}

/** `listOf` for a statement written as text. @param parameter of the ids as JSON */
export function idsIn(parameter: string): string {
  return `(${LIST[0]}${parameter}${LIST[1]})`;
}

/** A list of numbers as JSON. */
export function jsonList(numbers: string): string {
  return `'[' || coalesce(string_agg(cast(${numbers} as text), ','), '') || ']'`;
}

/** The place of a row in a table without a key of one column. */
export const rowPlace = sql.raw(byEngine("rowid", "ctid"));

/** Texts, quoted names, words by engine, and parameters. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\/\*<\*\/.*?\/\*\|(.*?)>\*\/|\?(\d*)/gs;

/** A statement as PostgreSQL reads it: with its words, and numbered parameters. */
export function forPostgres(statement: string): string {
  let next = 0;
  return statement.replace(PARTS, (part, words?: string, index?: string) =>
    words !== undefined ? words : index === undefined ? part : `$${index || ++next}`,
  );
}
