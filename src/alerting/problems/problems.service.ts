import { insertNote, setDismissed } from "../../monitoring/events/events.repository.ts";
import {
  eventsToChange,
  refuseInactive,
  type StoredEvent,
} from "../../monitoring/events/events-to-change.ts";
import {
  endAcknowledgement,
  insertAcknowledgement,
} from "../../monitoring/uptime/acknowledgements.repository.ts";
import { firstErrorOf, undismissFailure } from "../../monitoring/uptime/downtime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Reach } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { markAcknowledged, wakeAlerts } from "../notifications/alerts.repository.ts";
import { acknowledgementEnd } from "./acknowledgement-end.ts";
import type { AcknowledgeArguments } from "./problems.schemas.ts";

/** How users handle failures. Each change makes their alerts due, so that they are decided again. */
export class Problems {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /**
   * Acknowledges active errors: all of the requested ones or none. It replaces an earlier acknowledgement.
   * @throws ApiError 403, 404; 400 if an event is not an active error, or `until` is not in the future
   */
  acknowledge(args: AcknowledgeArguments, uname: string, reach: Reach): void {
    const { db } = this;
    const { note } = args;
    const now = this.clock.now();
    transaction(db, () => {
      const { events, until } = this.checkAcknowledgement(args, reach);
      for (const event of events) {
        const eventId = event.id;
        endAcknowledgement(db, eventId, now);
        insertAcknowledgement(db, {
          eventId,
          failedFrom: firstErrorOf(db, event),
          uname,
          note,
          createdAt: now,
          until,
        });
        if (note !== "") insertNote(db, { eventId, date: now, uname, message: note });
        markAcknowledged(db, event);
        wakeAlerts(db, event, now);
      }
    });
  }

  /** Throws what `acknowledge` would. @returns the events, and when it ends @throws ApiError 400, 403, 404 */
  checkAcknowledgement({ id, until }: AcknowledgeArguments, reach: Reach) {
    const end = acknowledgementEnd(until, this.clock.now());
    return { events: eventsToChange(this.db, id, reach, refuseInactive), until: end };
  }

  /** Ends acknowledgements. @throws ApiError 403, 404 */
  unacknowledge(ids: readonly number[], reach: Reach): void {
    const { db } = this;
    const now = this.clock.now();
    transaction(db, () => {
      for (const event of this.check(ids, reach)) {
        endAcknowledgement(db, event.id, now);
        wakeAlerts(db, event, now);
      }
    });
  }

  /** Undoes dismissals. @throws ApiError 403, 404 */
  undismiss(ids: readonly number[], reach: Reach): void {
    const { db } = this;
    const now = this.clock.now();
    transaction(db, () => {
      const events = this.check(ids, reach);
      for (const event of events) setDismissed(db, event, { dismissed: false, dismissedFrom: null }, now);
      for (const event of events) {
        // The errors that it replaced were dismissed with it.
        if (event.active) undismissFailure(db, event, now);
        wakeAlerts(db, event, now);
      }
    });
  }

  /** Throws what `unacknowledge` and `undismiss` would. @returns the events @throws ApiError 403, 404 */
  check(ids: readonly number[], reach: Reach): StoredEvent[] {
    return eventsToChange(this.db, ids, reach);
  }
}
