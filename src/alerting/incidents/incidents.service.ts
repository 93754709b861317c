import { ERROR, eventTypeNames } from "../../monit/event-types.ts";
import { findEvent } from "../../monitoring/events/events.repository.ts";
import type { Events } from "../../monitoring/events/events.service.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { pastOf } from "../../monitoring/past/past.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Deliveries } from "../notifications/deliveries.service.ts";
import { type FirstMove, NAMED_MOVES } from "../notifications/moved-text.ts";
import {
  eventsIn,
  incidentRows,
  notesIn,
  notifiedOf,
  reportedIn,
  spanAt,
  spanOfEvent,
  spansOf,
} from "./incidents.repository.ts";
import type { IncidentListArguments } from "./incidents.schemas.ts";
import type { WhatMoved } from "./moved.service.ts";

/** The most events that are listed for an incident. */
const MAX_EVENTS = 200;

type IncidentRow = ReturnType<typeof incidentRows>[number];

interface IncidentParts {
  db: Db;
  clock: Clock;
  events: Events;
  deliveries: Deliveries;
  mutes: () => MuteLookup;
  moved: WhatMoved;
}

/**
 * Failures of checks as incidents, each from its first error to its recovery, with its acknowledgement and
 * recipients.
 */
export class Incidents {
  constructor(private readonly parts: IncidentParts) {}

  /** A page of incidents, open or ended. */
  list(filter: IncidentListArguments, scope: Scope) {
    const pageSize = filter.results;
    const spans = spansOf(this.parts.db, filter, scope, pageSize + 1);
    const records = this.#incidents(spans.slice(0, pageSize));
    return {
      recordsReturned: records.length,
      pageSize,
      startIndex: filter.startindex,
      more: spans.length > pageSize,
      records,
    };
  }

  /**
   * The incident that contains an error event. Incidents have no id, as late events may merge or split spans.
   * @param admin whether to include what channels answered
   * @throws ApiError 404, also if the event is not an error
   */
  get(id: number, admin: boolean, scope: Scope) {
    const span = this.#spanOf(id, scope);
    const [incident] = this.#incidents([span]);
    if (!incident) throw errors.notFound("incident", id);
    const eventIds = eventsIn(this.parts.db, span, MAX_EVENTS);
    return {
      ...incident,
      notes: notesIn(this.parts.db, span),
      notifications: this.#notifications(incident.hostid, span, admin, scope),
      events: this.parts.events.named(eventIds),
    };
  }

  /**
   * Who was notified of an event, and why others were not. For an error or a recovery, that is who was notified of the
   * failure.
   * @param admin whether to include what channels answered
   * @throws ApiError 404
   */
  notificationsOf(eventId: number, admin: boolean, scope: Scope) {
    const { db, deliveries } = this.parts;
    const { hostId } = found(findEvent(db, eventId, scope), "event", eventId).event;
    const span = spanOfEvent(db, eventId);
    if (span === undefined) return deliveries.ofEvents(hostId, [eventId], admin, scope);
    pastOf(db)?.takeFailures([span]);
    return this.#notifications(hostId, span, admin, scope);
  }

  #notifications(hostId: number, span: number, admin: boolean, scope: Scope) {
    const { db, deliveries } = this.parts;
    return deliveries.ofEvents(hostId, reportedIn(db, span, MAX_EVENTS), admin, scope);
  }

  /**
   * What moved before the incident that contains an error event.
   * @param seesAudit whether the caller may see the audit log
   * @throws ApiError 404, also if the event is not an error
   */
  moved(id: number, seesAudit: boolean, scope: Scope) {
    const [incident] = incidentRows(this.parts.db, [this.#spanOf(id, scope)]);
    if (!incident) throw errors.notFound("incident", id);
    return this.parts.moved.before(incident, { scope, seesAudit });
  }

  /**
   * What moved first on the host of an incident, for messages about it. Their recipients have different rights, so
   * other hosts and what users did are left out.
   * @throws ApiError 404
   */
  firstMoves(id: number): FirstMove[] {
    const [incident] = incidentRows(this.parts.db, [this.#spanOf(id, "all")]);
    if (!incident) throw errors.notFound("incident", id);
    const { records } = this.parts.moved.before(incident, {
      scope: "all",
      seesAudit: false,
      maxOthers: 0,
    });
    return records.slice(0, NAMED_MOVES);
  }

  /** The id of the interval that contains an error event. @throws ApiError 404 */
  #spanOf(id: number, scope: Scope): number {
    const row = findEvent(this.parts.db, id, scope);
    const span = row?.event.state === ERROR ? spanAt(this.parts.db, row.event, row.event.date) : undefined;
    if (span === undefined) throw errors.notFound("incident", id);
    return span;
  }

  /** Incidents by the ids of their intervals, in this order. Those without a stored error are left out. */
  #incidents(ids: readonly number[]) {
    const { db } = this.parts;
    pastOf(db)?.takeFailures(ids);
    const mutes = this.parts.mutes();
    const notified = notifiedOf(db, ids);
    const rows = new Map(incidentRows(db, ids).map((row) => [row.interval, row]));
    return ids.flatMap((interval) => {
      const row = rows.get(interval);
      if (!row) return [];
      return {
        id: row.id,
        eventid: row.eventId,
        hostid: row.hostId,
        hostname: row.hostname,
        serviceid: row.serviceId,
        servicename: row.servicename,
        event: eventTypeNames(row.eventType).join(", "),
        message: row.message,
        since: row.startedAt,
        ended: row.endedAt ?? 0,
        dismissed: Number(row.dismissed),
        acknowledged: this.#acknowledgedOf(row.acknowledged),
        muted: row.endedAt === null ? mutes(row.hostId, row.servicename) : null,
        notified: notified.get(interval) ?? [],
        change: row.change && {
          id: row.change.id,
          date: row.change.date,
          servicename: row.changedService ?? "",
          message: row.change.message,
        },
        limitid: row.limitId,
        severity: row.severity,
      };
    });
  }

  #acknowledgedOf(row: IncidentRow["acknowledged"]) {
    if (!row) return null;
    const isOver = row.until !== null && row.until <= this.parts.clock.now();
    return { ...row, ended: row.ended ?? (isOver ? (row.until ?? 0) : 0) };
  }
}
