import { ERROR } from "../../monit/event-types.ts";
import { findEvent } from "../../monitoring/events/events.repository.ts";
import { requireReach } from "../../monitoring/scope/scope.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { References } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { incidentEnd, spanAt } from "../incidents/incidents.repository.ts";
import { STAYS } from "./public-note.ts";
import { endNote, endNotes, findNote, insertNote, type NoteSubject } from "./public-notes.repository.ts";
import { type PublicNoteCreation, publicNoteCreation } from "./public-notes.schemas.ts";

interface PublicNotesParts {
  db: Db;
  references: References;
  clock: Clock;
}

/** The host and the incident that a note is about. */
interface About {
  hostId: number;
  subject: NoteSubject;
}

/**
 * Notes on hosts and incidents for status pages. A new note replaces the previous one; nothing is changed or deleted
 * here, so that they have a history. Retention deletes those that ended before the days that events are kept.
 */
export class PublicNotes {
  constructor(private readonly parts: PublicNotesParts) {}

  /**
   * Writes a note, which ends the previous one.
   * @param uname login name of the author
   * @returns the id
   * @throws ApiError 400, 403, 404
   */
  create(args: PublicNoteCreation, uname: string, reach: Reach): number {
    const { db, clock } = this.parts;
    const now = clock.now();
    return transaction(db, () => {
      const { hostId, subject } = this.#aboutOf(args, reach, now);
      requireReach(db, hostId, reach);
      endNotes(db, subject, now, uname);
      return insertNote(db, { hostId, eventId: args.eventid, text: args.text, uname, createdAt: now });
    });
  }

  /** Ends a note; one that has ended stays as it is. @throws ApiError 403, 404 */
  withdraw(id: number, uname: string, reach: Reach): void {
    const { db, clock } = this.parts;
    transaction(db, () => {
      const { hostId } = found(findNote(db, id, reach.view), "note", id);
      requireReach(db, hostId, reach);
      endNote(db, id, clock.now(), uname);
    });
  }

  /** What the audit log says about a note; empty if there is none. */
  audited(id: number): Record<string, string | number> {
    const note = findNote(this.parts.db, id, "all");
    return note ? { host: note.hostId, text: note.text } : {};
  }

  #aboutOf(args: PublicNoteCreation, reach: Reach, now: number): About {
    const { db, references } = this.parts;
    const { hostid, eventid } = args;
    if (hostid !== null && eventid !== null)
      throw errors.badArgument("eventid", "absent in a note on a host");
    if (hostid !== null) {
      references.refuseUnknown(publicNoteCreation, args, null, reach.view);
      return { hostId: hostid, subject: { hostId: hostid, withIncidents: false } };
    }
    if (eventid === null) throw errors.missingArgument("hostid", "the id of a host; or eventid");
    const { event } = found(findEvent(db, eventid, reach.view), "event", eventid);
    const interval = event.state === ERROR ? spanAt(db, event, event.date) : undefined;
    const end = interval === undefined ? undefined : incidentEnd(db, interval);
    if (interval === undefined || (end != null && now - end >= STAYS))
      throw errors.badArgument(
        "eventid",
        "an error of a failure that lasts, or that ended less than a day ago",
      );
    return { hostId: event.hostId, subject: { interval } };
  }
}
