/** Stores the words of event messages and deletes those that no event uses any more. */
import { eq, sql } from "drizzle-orm";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { insertRows, queryRows, type RowsQuery } from "../../platform/storage/rows.ts";
import { events, eventWordSets, eventWords } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { indexedWords } from "./event-words.ts";

/** Raw SQL, as the first of these runs for every event. */
const statements = prepareOnce((db) => ({
  find: db.$client.prepare<{ id: number }, [words: string]>("select id from event_word_sets where words = ?"),
  insertSet: db.$client.prepare<{ id: number }, [words: string]>(
    "insert into event_word_sets (words) values (?) returning id",
  ),
}));

const insertWord = insertRows(eventWords, ["word", "setId"], null);

/**
 * Sets that were read or stored in the current transaction, by their words and by the messages that have these: many
 * messages of a flush are alike, and splitting one takes as long as storing two short rows.
 */
const setsFound = oncePerTransaction(() => ({
  byWords: new Map<string, number>(),
  byMessage: new Map<string, number | null>(),
}));

const setsOf: RowsQuery<{ words: "text" }, { id: number; words: string }> = queryRows(
  { words: "text" },
  ({ rows, lookUp }) =>
    `select s.id, s.words from ${rows} ${lookUp("event_word_sets", "s", "s.words = rows.words")}`,
);

/** Reads in one statement the sets of messages whose events will follow in this transaction. */
export function prefetchWordSets(db: Db, messages: Iterable<string>): void {
  const { byWords, byMessage } = setsFound(db);
  const wordsOf = new Map([...new Set(messages)].map((message) => [message, indexedWords(message)]));
  const rows = [...new Set(wordsOf.values())].map((words) => ({ words }));
  for (const { id, words } of setsOf(db, rows)) byWords.set(words, id);
  for (const [message, words] of wordsOf) {
    const id = byWords.get(words);
    if (id !== undefined) byMessage.set(message, id);
  }
}

/** The id of the set of a message's words, which is stored if it is new. Null if the message has no word. */
export function wordSetIdOf(db: Db, message: string): number | null {
  const { byWords, byMessage } = setsFound(db);
  const id = byMessage.get(message);
  if (id !== undefined) return id;
  const words = indexedWords(message);
  const setId = words === "" ? null : (byWords.get(words) ?? storedSet(db, words));
  if (setId !== null) byWords.set(words, setId);
  byMessage.set(message, setId);
  return setId;
}

function storedSet(db: Db, words: string): number {
  const { find, insertSet } = statements(db);
  const stored = find.get(words);
  if (stored) return stored.id;
  const id = insertSet.get(words)?.id;
  if (id === undefined) throw new Error("an inserted word set has no id");
  for (const word of words.split(" ")) insertWord(db, { word, setId: id });
  return id;
}

/** The word sets that events of a host use. */
export function wordSetsOfHost(db: Db, hostId: number): (number | null)[] {
  const rows = db
    .selectDistinct({ id: events.wordSetId })
    .from(events)
    .where(eq(events.hostId, hostId))
    .all();
  return rows.map(({ id }) => id);
}

/** Deletes those of the given word sets that no event uses. Call it after events were deleted. */
export function deleteUnusedWordSets(db: Db, ids: Iterable<number | null>): void {
  const { byWords, byMessage } = setsFound(db);
  byWords.clear();
  byMessage.clear();
  const listed = [...new Set(ids)].filter((id) => id !== null);
  db.delete(eventWordSets)
    .where(
      sql`${eventWordSets.id} in ${listOf(listed)}
        and not exists (select 1 from events where word_set_id = ${eventWordSets.id})`,
    )
    .run();
}
