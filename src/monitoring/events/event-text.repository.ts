/** Translates a text search into SQL conditions on events. */
import { and, type Column, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { events, eventWords, hosts, names } from "../../platform/storage/schema.ts";
import { contains, indexedBy, matchesPattern, unindexed } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";
import { type SearchedWord, searchedParts, searchedWords } from "./event-words.ts";

/** Matches of a word are counted up to this number, to choose between ways of reading. */
const MAX_COUNTED = 500_000;

/** Greater than every letter, in byte order. */
const LAST = "\u{10ffff}";

/**
 * Whether a word of a name begins with this word. The brackets know only ASCII: another letter ends a word.
 * @param key of the name, as of `sortKey`
 */
function beginsAWord(key: SQL | Column, word: string): SQL {
  // The first takes a fraction of the time of a pattern and rules out most names.
  return sql`(${contains(key, word)} and ${hasWordLike(key, word)})`;
}

/**
 * Whether a name has a part of a search: a word that begins with it, or anywhere one without letters and digits.
 * @param key of the name, as of `sortKey`
 */
export function hasPart(key: Column, part: string): SQL {
  return /[\p{L}\p{M}\p{N}]/u.test(part) ? beginsAWord(key, part) : contains(key, part);
}

/** `beginsAWord` for a message, which has no key. `lower` knows only ASCII: another letter matches every character. */
function beginsAWordOfMessage({ word }: SearchedWord): SQL {
  const pattern = word.replace(/\P{ASCII}/gu, "?");
  const message = /^[0-9]+$/.test(word) ? events.message : sql`lower(${events.message})`;
  return pattern === word ? beginsAWord(message, word) : sql`(${hasWordLike(message, pattern)})`;
}

function hasWordLike(text: SQL | Column, pattern: string): SQL | undefined {
  return or(matchesPattern(text, `${pattern}*`), matchesPattern(text, `*[^0-9a-z]${pattern}*`));
}

/** The word sets of messages that may contain a word; null if the index cannot tell. */
function setsWith({ letters, needsComparison }: SearchedWord): SQL | null {
  if (letters === "") return null;
  const condition = needsComparison
    ? eq(eventWords.word, letters)
    : and(gte(eventWords.word, letters), lt(eventWords.word, letters + LAST));
  return sql`(select ${eventWords.setId} from ${eventWords} where ${condition})`;
}

function hostsWith(part: string): SQL {
  return sql`(select ${hosts.id} from ${hosts} where ${hasPart(hosts.hostnameKey, part)})`;
}

function namesWith(part: string): SQL {
  return sql`(select ${names.id} from ${names} where ${hasPart(names.nameKey, part)})`;
}

/** Whether an event is of a host or service whose name has the part. Only the driver uses the indexes (see below). */
function isOfNamed(part: string): SQL | undefined {
  return or(
    sql`${unindexed(events.hostId)} in ${hostsWith(part)}`,
    sql`${unindexed(events.nameId)} in ${namesWith(part)}`,
  );
}

function containsWord(word: SearchedWord): SQL | undefined {
  const sets = setsWith(word);
  const inIndex = sets ? sql`${unindexed(events.wordSetId)} in ${sets}` : undefined;
  const inMessage = word.needsComparison ? beginsAWordOfMessage(word) : undefined;
  return or(isOfNamed(word.word), and(inIndex, inMessage));
}

/** No index has signs, so that each message is compared. */
function containsSign(sign: string): SQL | undefined {
  return or(isOfNamed(sign), contains(events.message, sign));
}

/**
 * The condition that each word of a search begins a word of the message, the host or the service. A search without
 * letters and digits finds its signs anywhere in these.
 */
export function containsText(text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined;
  const words = searchedWords(text);
  return and(...(words.length > 0 ? words.map(containsWord) : searchedParts(text).map(containsSign)));
}

/** Whether an event of the scope contains the text. */
export function isEventWithText(db: Db, text: string, scope: Scope): boolean {
  const matches = and(amongRarestWord(db, text), containsText(text), inScope(events.hostId, scope));
  return hasRow(db, events, matches);
}

/** Ids of all events that may contain a word, found through indexes. */
function idsWith(word: SearchedWord, sets: SQL): SQL {
  return sql`select ${events.id} from ${events} ${indexedBy("events_by_word_set")} where ${events.wordSetId} in ${sets}
    union all select ${events.id} from ${events} ${indexedBy("events_by_host_and_date")}
      where ${events.hostId} in ${hostsWith(word.word)}
    union all select ${events.id} from ${events} ${indexedBy("events_by_service_name_and_date")}
      where ${events.nameId} in ${namesWith(word.word)}`;
}

/**
 * The condition that an event is among those with the rarest word of a search, which SQLite finds by index. Undefined
 * if that would be slower than reading all events. It is necessary, not sufficient.
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
