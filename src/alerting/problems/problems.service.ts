import { findEvent, insertNote, setDismissed } from "../../monitoring/events/events.repository.ts";
import { requireReach } from "../../monitoring/scope/scope.repository.ts";
import {
  endAcknowledgement,
  insertAcknowledgement,
} from "../../monitoring/uptime/acknowledgements.repository.ts";
import { firstErrorOf, undismissFailure } from "../../monitoring/uptime/downtime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { markAcknowledged, wakeAlerts } from "../notifications/alerts.repository.ts";
import { acknowledgementEnd } from "./acknowledgement-end.ts";
import type { AcknowledgeArguments } from "./problems.schemas.ts";

type FoundEvent = NonNullable<ReturnType<typeof findEvent>>["event"];

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
  acknowledge({ id, note, until: end }: AcknowledgeArguments, uname: string, reach: Reach): void {
    const { db } = this;
    const now = this.clock.now();
    const until = acknowledgementEnd(end, now);
    this.#change(id, reach, (event) => {
      const { id: eventId, active } = event;
      if (!active) throw errors.badArgument("id", `the id of an active error, which event ${eventId} is not`);
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
    });
  }

  /** @throws ApiError 403, 404 */
  unacknowledge(ids: readonly number[], reach: Reach): void {
    this.#change(ids, reach, ({ id }) => endAcknowledgement(this.db, id, this.clock.now()));
  }

  /** Undoes dismissals. @throws ApiError 403, 404 */
  undismiss(ids: readonly number[], reach: Reach): void {
    this.#change(ids, reach, (event) => {
      setDismissed(this.db, event, { dismissed: false, dismissedFrom: null }, this.clock.now());
      // The errors that it replaced were dismissed with it.
      if (event.active) undismissFailure(this.db, event, this.clock.now());
    });
  }

  #change(ids: readonly number[], reach: Reach, change: (event: FoundEvent) => void): void {
    transaction(this.db, () => {
      for (const id of ids) {
        const { event } = found(findEvent(this.db, id, reach.view), "event", id);
        requireReach(this.db, event.hostId, reach);
        change(event);
        wakeAlerts(this.db, event, this.clock.now());
      }
    });
  }
}
