/** Stores the words of event messages and deletes those that no event uses any more. */
import { eq, sql } from "drizzle-orm";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { events, eventWordSets } from "../../platform/storage/schema.ts";
import { indexedWords } from "./event-words.ts";

/** Raw SQL, as the first of these runs for every event. */
const statements = prepareOnce((db) => ({
  find: db.$client.prepare<{ id: number }, [words: string]>("select id from event_word_sets where words = ?"),
  insertSet: db.$client.prepare<{ id: number }, [words: string]>(
    "insert into event_word_sets (words) values (?) returning id",
  ),
  insertWords: db.$client.prepare<null, [setId: number, words: string]>(
    "insert into event_words (word, set_id) select cast(value as text), ?1 from json_each(?2)",
  ),
}));

/** Sets that were found or stored in the present transaction, by their words: many messages of a flush are alike. */
const setsFound = oncePerTransaction(() => new Map<string, number>());

/** The id of the set of a message's words, which is stored if it is new. Null if the message has no word. */
export function wordSetIdOf(db: Db, message: string): number | null {
  const words = indexedWords(message);
  if (words === "") return null;
  const sets = setsFound(db);
  const id = sets.get(words) ?? storedSet(db, words);
  sets.set(words, id);
  return id;
}

function storedSet(db: Db, words: string): number {
  const { find, insertSet, insertWords } = statements(db);
  const known = find.get(words);
  if (known) return known.id;
  const id = insertSet.get(words)?.id;
  if (id === undefined) throw new Error("an inserted word set has no id");
  insertWords.run(id, JSON.stringify(words.split(" ")));
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
  setsFound(db).clear();
  const given = JSON.stringify([...new Set(ids)].filter((id) => id !== null));
  db.delete(eventWordSets)
    .where(
      sql`${eventWordSets.id} in (select value from json_each(${given}))
        and not exists (select 1 from events where word_set_id = ${eventWordSets.id})`,
    )
    .run();
}
