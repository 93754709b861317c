import { and, asc, count, eq, gte, lte, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange } from "../../platform/storage/revisions.repository.ts";
import { queryRows, type RowsQuery } from "../../platform/storage/rows.ts";
import { eventNotes, events, hosts, names } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";
import { changeEventCounts, kindOf } from "./event-counts.repository.ts";
import { deleteUnusedWordSets, wordSetIdOf } from "./event-words.repository.ts";

/** A new event. It is not yet active, dismissed or noted. Without a limit it is an event of the agent. */
export type NewEvent = Omit<
  typeof events.$inferInsert,
  "id" | "wordSetId" | "active" | "dismissed" | "dismissedFrom" | "noted"
>;

const findName = prepareOnce((db) =>
  db
    .select({ id: names.id })
    .from(names)
    .where(eq(names.name, sql.placeholder("name")))
    .prepare(),
);

const insertName = prepareOnce((db) =>
  db
    .insert(names)
    .values({ name: sql.placeholder("name"), nameKey: sql.placeholder("nameKey") })
    .returning({ id: names.id })
    .prepare(),
);

/** The id of a name; null if nothing has the name. */
export function findNameId(db: Db, name: string): number | null {
  return findName(db).get({ name })?.id ?? null;
}

/** The id of a name. Inserts the name if it is new. */
export function nameIdOf(db: Db, name: string): number {
  return findNameId(db, name) ?? insertName(db).get({ name, nameKey: sortKey(name) }).id;
}

const namesOf: RowsQuery<{ name: "text" }, { id: number; name: string }> = queryRows(
  { name: "text" },
  ({ rows, lookUp }) => `select n.id, n.name from ${rows} ${lookUp("names", "n", "n.name = rows.name")}`,
);

const insertNames: RowsQuery<{ name: "text"; nameKey: "text" }, { id: number; name: string }> = queryRows(
  { name: "text", nameKey: "text" },
  ({ rows }) => `insert into names (name, name_key) select name, name_key from ${rows} returning id, name`,
);

/** Ids by name, as read or stored in the present transaction: the services of many hosts have the same names. */
const idsFound = oncePerTransaction(() => new Map<string, number>());

/** Forgets ids of names. Call it when names are deleted. */
export function forgetNameIds(db: Db): void {
  idsFound(db).clear();
}

/** Adds the id of its name to each item; names must be distinct. Inserts new names. */
export function withNameIds<T extends { name: string }>(
  db: Db,
  items: readonly T[],
): (T & { nameId: number })[] {
  const ids = idsFound(db);
  const missing = items.filter(({ name }) => !ids.has(name));
  for (const { id, name } of namesOf(db, missing)) ids.set(name, id);
  const added = missing.filter(({ name }) => !ids.has(name));
  const keyed = added.map(({ name }) => ({ name, nameKey: sortKey(name) }));
  for (const { id, name } of insertNames(db, keyed)) ids.set(name, id);
  return items.map((item) => {
    const nameId = ids.get(item.name);
    if (nameId === undefined) throw new Error(`name "${item.name}" has no row`);
    return { ...item, nameId };
  });
}

type EventValues = [
  hostId: number,
  nameId: number,
  serviceType: number,
  date: number,
  collectedSec: number,
  collectedUsec: number,
  eventType: number,
  state: number,
  action: number,
  message: string,
  wordSetId: number | null,
  limitId: number,
  severity: number,
];

/** Raw SQL: the query builder takes twice as long. */
const insertStatement = (id: "" | "id, ") =>
  prepareOnce((db) =>
    db.$client.prepare<{ id: number }, EventValues | [id: number, ...EventValues]>(
      `insert into events (${id}host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state,
         action, message, word_set_id, limit_id, severity, active, dismissed, noted)
       values (${id && "?, "}?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, false, false, false) on conflict do nothing returning id`,
    ),
  );
const insertNumbered = insertStatement("");
const insertWithId = insertStatement("id, ");

/**
 * Stores and counts an event.
 * @param id that it gets; null: the database numbers it @returns its id, or null if the same event is already stored
 */
export function insertEventOnce(db: Db, row: NewEvent, id: number | null = null): number | null {
  const wordSetId = wordSetIdOf(db, row.message);
  const values: EventValues = [
    row.hostId,
    row.nameId,
    row.serviceType,
    row.date,
    row.collectedSec,
    row.collectedUsec,
    row.eventType,
    row.state,
    row.action,
    row.message,
    wordSetId,
    row.limitId ?? 0,
    row.severity ?? 0,
  ];
  const stored = id === null ? insertNumbered(db).get(...values) : insertWithId(db).get(id, ...values);
  if (!stored) {
    // The stored event may have another message.
    deleteUnusedWordSets(db, [wordSetId]);
    return null;
  }
  changeEventCounts(db, row.hostId, [kindOf(row)], 1);
  return stored.id;
}

/**
 * The event with this id, and the names of its host and service; undefined if its host is outside the scope.
 */
export function findEvent(db: Db, id: number, scope: Scope) {
  return db
    .select({ event: events, host: hosts.hostname, servicename: names.name })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(and(eq(events.id, id), inScope(events.hostId, scope)))
    .get();
}

/** The events of the scope among these, by id. */
export function eventsById(db: Db, ids: readonly number[], scope: Scope) {
  const rows = db
    .select()
    .from(events)
    .where(and(sql`${events.id} in ${listOf(ids)}`, inScope(events.hostId, scope)))
    .all();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The notes of an event, oldest first. Who may see the event is not checked. */
export function notesOf(db: Db, eventId: number) {
  return db
    .select({ date: eventNotes.date, uname: eventNotes.uname, message: eventNotes.message })
    .from(eventNotes)
    .where(eq(eventNotes.eventId, eventId))
    .orderBy(asc(eventNotes.id))
    .all();
}

/** Stores a note, and that the event has one. Call it in a transaction. @returns the id of the note */
export function insertNote(db: Db, note: typeof eventNotes.$inferInsert): number {
  db.update(events).set({ noted: true }).where(eq(events.id, note.eventId)).run();
  return db.insert(eventNotes).values(note).returning({ id: eventNotes.id }).get().id;
}

type Dismissal = Pick<typeof events.$inferSelect, "dismissed" | "dismissedFrom">;

/**
 * Dismisses an event, or undoes that, and records what it replaces.
 * @param event as it is stored
 * @param change `dismissedFrom` is the id of the first error of the failure; null if unknown
 * @param at unix seconds
 */
export function setDismissed(
  db: Db,
  { id, hostId, dismissed, dismissedFrom }: Dismissal & { id: number; hostId: number },
  change: Dismissal,
  at: number,
): void {
  const revision = { kind: "events", hostId, objectId: id, until: at } as const;
  recordChange(db, revision, { dismissed, dismissedFrom }, change);
  db.update(events).set(change).where(eq(events.id, id)).run();
}

/** Counts events per state and span of `step` seconds, from `from` through `to`, without empty spans. */
export function countByStateAndTime(
  db: Db,
  { from, to }: { from: number; to: number },
  step: number,
  scope: Scope,
) {
  const span = sql<number>`(${events.date} - ${from}) / ${step}`.as("span");
  return db
    .select({ state: events.state, span, n: count() })
    .from(events)
    .where(and(gte(events.date, from), lte(events.date, to), inScope(events.hostId, scope)))
    .groupBy(events.state, sql`${sql.identifier("span")}`)
    .all();
}
