import { ERROR } from "../../monit/event-types.ts";
import { findEvent } from "../../monitoring/events/events.repository.ts";
import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { matchesHost } from "../../monitoring/places/place-filter.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import { isInScope } from "../../monitoring/scope/scope.repository.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { spanAt } from "../incidents/incidents.repository.ts";
import { isShown } from "./public-note.ts";
import { listNotes, type NoteSubject, type PublicNote, pagesOfGroups } from "./public-notes.repository.ts";
import type { PublicNoteListArguments } from "./public-notes.schemas.ts";

/**
 * The host and the subject of the requested notes.
 * @throws ApiError 400 unless exactly one of the two is set, 404 if the scope does not see it
 */
function aboutOf(
  db: Db,
  { hostid, eventid }: PublicNoteListArguments,
  scope: Scope,
): { hostId: number; subject: NoteSubject } {
  if (eventid !== undefined) {
    if (hostid !== undefined) throw errors.badArgument("eventid", "absent where hostid is set");
    const { event } = found(findEvent(db, eventid, scope), "event", eventid);
    // Only errors of failures have notes.
    const interval = event.state === ERROR ? spanAt(db, event, event.date) : undefined;
    return { hostId: event.hostId, subject: { interval: interval ?? 0 } };
  }
  if (hostid === undefined) throw errors.missingArgument("hostid", "the id of a host; or eventid");
  if (!isInScope(db, hostid, scope)) throw errors.notFound("host", hostid);
  return { hostId: hostid, subject: { hostId: hostid, withIncidents: true } };
}

/** The titles of the status pages on which a host is, of groups within the scope. */
function pagesOf(db: Db, hostId: number, scope: Scope): string[] {
  const host = { hostId, hostGroupIds: hostGroupIdsOf(db, hostId), tags: tagsOf(db, hostId) };
  return pagesOfGroups(db, host.hostGroupIds)
    .filter(({ hostgroup, tags }) => {
      const filter = { hostgroups: [hostgroup], ...(tags.length > 0 && { tags }) };
      return isOfGroups(filter, scope) && matchesHost(filter, host);
    })
    .map(({ title }) => title);
}

function replyOf(note: PublicNote, now: number) {
  return {
    id: note.id,
    hostid: note.hostId,
    eventid: note.eventId ?? 0,
    servicename: note.service,
    text: note.text,
    uname: note.uname,
    created: note.createdAt,
    ended: note.endedAt ?? 0,
    endedby: note.endedBy,
    shown: isShown(note, now),
  };
}

/** Queries of public notes, for a query worker. */
export function publicNoteQueries(db: Db, clock: Clock) {
  return {
    /** @throws ApiError 400, 404 */
    publicNoteList: (args: PublicNoteListArguments, { view, act }: Reach) => {
      const { results: pageSize, startindex: startIndex } = args;
      const { hostId, subject } = aboutOf(db, args, view);
      const { total, notes } = listNotes(db, subject, pageSize, startIndex);
      const records = notes.map((note) => replyOf(note, clock.now()));
      const page = pageOf(records, { pageSize, totalRecords: total, startIndex });
      return { ...page, pages: pagesOf(db, hostId, act) };
    },
  };
}

export type PublicNoteQueries = AsyncQueries<ReturnType<typeof publicNoteQueries>>;
