/** Translates a text search into SQL conditions on events. */
import { and, type Column, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { events, eventWords, hosts, names } from "../../platform/storage/schema.ts";
import { inScope } from "../scope/scope.repository.ts";
import { type SearchedWord, searchedWords } from "./event-words.ts";

/** Matches of a word are counted up to this many, to choose between ways of reading. */
const MAX_COUNTED = 500_000;

/** Greater than every letter, bytewise. */
const LAST = "\u{10ffff}";

/**
 * Whether a word of a text begins with the given word. `lower` and the brackets know ASCII only: another
 * letter matches every character and ends a word.
 */
export function beginsAWord(text: SQL | Column, word: string): SQL {
  const pattern = word.replace(/\P{ASCII}/gu, "?");
  // instr takes a fraction of the time of glob and rules out most texts.
  const contains = pattern === word ? sql`instr(${text}, ${word})` : sql`true`;
  return sql`(${contains} and (${text} glob ${`${pattern}*`} or ${text} glob ${`*[^0-9a-z]${pattern}*`}))`;
}

/** The word sets of messages that may contain a word; null if the index does not know. */
function setsWith({ letters, needsComparison }: SearchedWord): SQL | null {
  if (letters === "") return null;
  const condition = needsComparison
    ? eq(eventWords.word, letters)
    : and(gte(eventWords.word, letters), lt(eventWords.word, letters + LAST));
  return sql`(select ${eventWords.setId} from ${eventWords} where ${condition})`;
}

function hostsWith({ word }: SearchedWord): SQL {
  return sql`(select ${hosts.id} from ${hosts} where ${beginsAWord(hosts.hostnameKey, word)})`;
}

function namesWith({ word }: SearchedWord): SQL {
  return sql`(select ${names.id} from ${names} where ${beginsAWord(names.nameKey, word)})`;
}

function contains(word: SearchedWord): SQL | undefined {
  const sets = setsWith(word);
  // The unary plus keeps SQLite from using the indexes of these columns: only the driver does (see below).
  const inIndex = sets ? sql`+${events.wordSetId} in ${sets}` : undefined;
  const message = /^[0-9]+$/.test(word.word) ? events.message : sql`lower(${events.message})`;
  const inMessage = word.needsComparison ? beginsAWord(message, word.word) : undefined;
  return or(
    sql`+${events.hostId} in ${hostsWith(word)}`,
    sql`+${events.nameId} in ${namesWith(word)}`,
    and(inIndex, inMessage),
  );
}

/** The condition that each word of a search begins a word of the message, the host or the service. */
export function containsText(text: string | undefined): SQL | undefined {
  return text === undefined ? undefined : and(...searchedWords(text).map(contains));
}

/** Whether an event of the scope contains the text. */
export function isEventWithText(db: Db, text: string, scope: Scope): boolean {
  const matches = and(amongRarestWord(db, text), containsText(text), inScope(events.hostId, scope));
  return db.select({ id: events.id }).from(events).where(matches).limit(1).get() !== undefined;
}

/** Ids of all events that may contain a word, by way of indexes. */
function idsWith(word: SearchedWord, sets: SQL): SQL {
  return sql`select ${events.id} from ${events} indexed by events_by_word_set where ${events.wordSetId} in ${sets}
    union all select ${events.id} from ${events} indexed by events_by_host_and_date
      where ${events.hostId} in ${hostsWith(word)}
    union all select ${events.id} from ${events} indexed by events_by_service_name_and_date
      where ${events.nameId} in ${namesWith(word)}`;
}

/**
 * The condition that an event is among those with the rarest word of a search, which SQLite looks up by index.
 * Undefined if that would be slower than to read all events. It is necessary, not sufficient.
 */
export function amongRarestWord(db: Db, text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined;
  let rarest: { ids: SQL; n: number } | undefined;
  for (const word of searchedWords(text)) {
    const sets = setsWith(word);
    if (!sets) continue;
    const ids = idsWith(word, sets);
    const limit = rarest?.n ?? MAX_COUNTED;
    const n =
      db.all<{ n: number }>(sql`select count(*) as n from (${ids} limit ${limit}) as found`)[0]?.n ?? 0;
    if (n < limit) rarest = { ids, n };
  }
  return rarest && sql`${events.id} in (${rarest.ids})`;
}
