/** What the public is told about hosts and incidents. */
import { and, asc, desc, eq, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { downtimeIntervals, events, names, publicNotes, statusPages } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { isEventOf } from "../incidents/incidents.repository.ts";

export type PublicNoteRow = typeof publicNotes.$inferSelect;

/** A note with the incident that it is about, if any. Times are unix seconds. */
export type PublicNote = ReturnType<typeof selectNotes>[number];

/**
 * Notes with their incidents, newest first. If the event of a note is not in an incident any more, `isIncident` is 0.
 */
function selectNotes(db: Db, condition: SQL | undefined, limit: number, offset: number) {
  const { hostId, nameId, eventType, limitId, startedAt, endedAt } = downtimeIntervals;
  const isSpan = and(
    eq(hostId, events.hostId),
    eq(nameId, events.nameId),
    eq(eventType, events.eventType),
    eq(limitId, events.limitId),
    lte(startedAt, events.date),
    or(isNull(endedAt), gte(endedAt, events.date)),
  );
  return db
    .select({
      id: publicNotes.id,
      hostId: publicNotes.hostId,
      eventId: publicNotes.eventId,
      text: publicNotes.text,
      uname: publicNotes.uname,
      createdAt: publicNotes.createdAt,
      endedAt: publicNotes.endedAt,
      endedBy: publicNotes.endedBy,
      service: sql<string>`coalesce(${names.name}, '')`,
      /** Whether the event is in a failure as the time line stands now. */
      isIncident: sql<number>`count(${downtimeIntervals.id})`,
      /** When the failure ended; null while it lasts, and for a note on a host. */
      incidentEnd: sql<number | null>`case when count(${downtimeIntervals.id}) > count(${endedAt}) then null
        else max(${endedAt}) end`,
    })
    .from(publicNotes)
    .leftJoin(events, eq(events.id, publicNotes.eventId))
    .leftJoin(names, eq(names.id, events.nameId))
    .leftJoin(downtimeIntervals, isSpan)
    .where(condition)
    .groupBy(publicNotes.id, names.name)
    .orderBy(desc(publicNotes.createdAt), desc(publicNotes.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** The events of an incident. @param interval id of its downtime interval */
const eventsOf = (interval: number) =>
  sql`(select ${events.id} from ${downtimeIntervals} join ${events} on ${isEventOf} where ${downtimeIntervals.id} = ${interval})`;

/** What notes are about: a host with its incidents, the host alone, or an incident by its downtime interval. */
export type NoteSubject = { hostId: number; withIncidents: boolean } | { interval: number };

function isAbout(subject: NoteSubject): SQL | undefined {
  if ("interval" in subject) return sql`${publicNotes.eventId} in ${eventsOf(subject.interval)}`;
  const { hostId, withIncidents } = subject;
  return and(eq(publicNotes.hostId, hostId), withIncidents ? undefined : isNull(publicNotes.eventId));
}

/** A page of notes, newest first. */
export function listNotes(db: Db, subject: NoteSubject, limit: number, offset: number) {
  const condition = isAbout(subject);
  const total = countRows(db, publicNotes, condition);
  return { total, notes: selectNotes(db, condition, limit, offset) };
}

/** The notes of hosts that are current or were written since a time, newest first. */
export function notesOfHosts(db: Db, hostIds: readonly number[], since: number, limit: number): PublicNote[] {
  const isRecent = or(isNull(publicNotes.endedAt), gte(publicNotes.createdAt, since));
  return selectNotes(db, and(sql`${publicNotes.hostId} in ${listOf(hostIds)}`, isRecent), limit, 0);
}

/** The note of this id; undefined if it does not exist, or its host is outside the scope. */
export function findNote(db: Db, id: number, scope: Scope): PublicNoteRow | undefined {
  return db
    .select()
    .from(publicNotes)
    .where(and(eq(publicNotes.id, id), inScope(publicNotes.hostId, scope)))
    .get();
}

/** Stores a note. @returns its id */
export function insertNote(db: Db, row: Omit<PublicNoteRow, "id" | "endedAt" | "endedBy">): number {
  return db.insert(publicNotes).values(row).returning({ id: publicNotes.id }).get().id;
}

/** Ends the notes about a host or incident that have not ended. */
export function endNotes(db: Db, subject: NoteSubject, endedAt: number, endedBy: string): void {
  db.update(publicNotes)
    .set({ endedAt, endedBy })
    .where(and(isNull(publicNotes.endedAt), isAbout(subject)))
    .run();
}

/** Ends a note, unless it has ended. @param endedAt unix seconds @param endedBy login name */
export function endNote(db: Db, id: number, endedAt: number, endedBy: string): void {
  db.update(publicNotes)
    .set({ endedAt, endedBy })
    .where(and(eq(publicNotes.id, id), isNull(publicNotes.endedAt)))
    .run();
}

/** The status pages of host groups, by title. */
export function pagesOfGroups(db: Db, groupIds: readonly number[]) {
  const { title, hostgroup, tags } = statusPages;
  return db
    .select({ title, hostgroup, tags })
    .from(statusPages)
    .where(sql`${hostgroup} in ${listOf(groupIds)}`)
    .orderBy(asc(title))
    .all();
}
