import {
  actionName,
  CHANGE,
  ERROR,
  eventTypeNames,
  SUCCESS,
  serviceTypeName,
} from "../../monit/event-types.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { MuteLookup } from "../health/muted.ts";
import { historyOf, pastOf, scopeOfHistory } from "../past/past.ts";
import { acknowledgementsOf } from "../uptime/acknowledgements.repository.ts";
import { firstErrorOf } from "../uptime/downtime.service.ts";
import { failureIn, failuresOf } from "./event-failures.repository.ts";
import { eventsNamed, idsOfEvents } from "./event-pages.repository.ts";
import { sourceOf } from "./event-selection.repository.ts";
import { countEvents } from "./event-totals.repository.ts";
import { countByStateAndTime, findEvent, insertNote, notesOf, setDismissed } from "./events.repository.ts";
import type { EventListArguments } from "./events.schemas.ts";
import { eventsToChange, refuseInactive, type StoredEvent } from "./events-to-change.ts";

/**
 * The most events of a list without pages. With short texts they take 27 MB, and with long ones more than a reply may.
 */
const MAX_WHOLE_LIST = 100_000;
const SUMMARY_SECONDS = DAY;
const SUMMARY_STEP = 600;
const SUMMARY_LABELS = [
  ["Failed", ERROR],
  ["Changed", CHANGE],
  ["Succeeded", SUCCESS],
] as const;

export interface Note {
  eventId: number;
  /** Login name of the author. */
  uname: string;
  message: string;
}

/** @throws ApiError 400 */
function refuseTooMany(events: number): void {
  if (events > MAX_WHOLE_LIST)
    throw errors.badRequest(
      `That would be ${events} events, more than the ${MAX_WHOLE_LIST} of a reply: ask for pages with results and startindex, or for fewer with a filter`,
    );
}

/** Lists, dismisses and annotates stored events. */
export class Events {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly mutes: () => MuteLookup,
  ) {}

  /**
   * A page of events with the exact number of events that match the filters.
   * @throws ApiError 400 if a list without pages has too many
   */
  list(args: EventListArguments, scope: Scope) {
    const { db, filter } = sourceOf(this.db, args, scope);
    const totalRecords = countEvents(db, filter);
    if (filter.results === undefined) refuseTooMany(totalRecords - filter.startindex);
    const pageSize = filter.results ?? totalRecords;
    const ids = idsOfEvents(db, filter, pageSize, totalRecords);
    const records = this.named(ids);
    return {
      recordsReturned: records.length,
      pageSize,
      totalRecords,
      startIndex: filter.startindex,
      sort: filter.sort,
      dir: filter.dir,
      records,
      ...(filter.maxid !== undefined && { maxid: filter.maxid }),
    };
  }

  /** The events with these ids, as the list has them and in this order. The caller has checked the scope. */
  named(ids: readonly number[]) {
    pastOf(this.db)?.takeEvents(ids);
    const rows = eventsNamed(this.db, ids);
    const acknowledgements = this.#acknowledgementsOf(rows.map(({ id }) => id));
    const mutes = this.mutes();
    return rows.map(({ note, active, dismissed, serviceid, since, ended, limitid, severity, ...event }) => ({
      ...event,
      note: Number(note),
      active: Number(active),
      dismissed: Number(dismissed),
      serviceid,
      since,
      ended,
      acknowledged: acknowledgements.get(event.id) ?? null,
      muted: active ? mutes(event.hostid, event.servicename) : null,
      limitid,
      severity,
    }));
  }

  /** An event with its notes, its failure and its acknowledgement. @throws ApiError 404 */
  get(id: number, scope: Scope) {
    const { event, host, servicename } = found(findEvent(this.db, id, scope), "event", id);
    return {
      id: event.id,
      hostid: event.hostId,
      host,
      date: event.date,
      servicename,
      servicetype: serviceTypeName(event.serviceType),
      event: eventTypeNames(event.eventType).join(", "),
      eventstate: event.state,
      action: actionName(event.action),
      message: event.message,
      note: notesOf(this.db, id),
      active: Number(event.active),
      dismissed: Number(event.dismissed),
      ...failureIn(failuresOf(this.db, [id]), id),
      acknowledged: this.#acknowledgementsOf([id]).get(id) ?? null,
      muted: event.active ? this.mutes()(event.hostId, servicename) : null,
      limitid: event.limitId,
      severity: event.severity,
    };
  }

  /** Counts of the last 24 hours per 10 minutes. */
  summary(scope: Scope) {
    const dateto = this.clock.now();
    const datefrom = dateto - SUMMARY_SECONDS;
    const counts = countByStateAndTime(
      historyOf(this.db),
      { from: datefrom, to: dateto },
      SUMMARY_STEP,
      scopeOfHistory(scope),
    );
    const samples = (state: number) => {
      const data = Array.from({ length: SUMMARY_SECONDS / SUMMARY_STEP }, (_, i): [number, number] => [
        datefrom + i * SUMMARY_STEP,
        0,
      ]);
      for (const row of counts) {
        // An event in the current second falls just beyond the last sample.
        const sample = row.state === state ? data[Math.min(row.span, data.length - 1)] : undefined;
        if (sample) sample[1] += row.n;
      }
      return data;
    };
    return {
      datefrom,
      dateto,
      events: SUMMARY_LABELS.map(([label, state]) => ({ label, data: samples(state) })),
    };
  }

  /** Dismisses active errors: all or none. @throws ApiError 403, 404; 400 if an event is not an active error */
  dismiss(ids: readonly number[], reach: Reach): void {
    transaction(this.db, () => {
      for (const event of this.checkDismissal(ids, reach)) {
        if (event.dismissed) continue;
        const dismissedFrom = firstErrorOf(this.db, event);
        setDismissed(this.db, event, { dismissed: true, dismissedFrom }, this.clock.now());
      }
    });
  }

  /** Throws what `dismiss` would. @returns the events @throws ApiError 400, 403, 404 */
  checkDismissal(ids: readonly number[], reach: Reach): StoredEvent[] {
    return eventsToChange(this.db, ids, reach, (event) => {
      if (!event.dismissed) refuseInactive(event);
    });
  }

  /** Adds a note. @returns its id @throws ApiError 403, 404 */
  addNote({ eventId, uname, message }: Note, reach: Reach): number {
    return transaction(this.db, () => {
      eventsToChange(this.db, [eventId], reach);
      return insertNote(this.db, { eventId, date: this.clock.now(), uname, message });
    });
  }

  #acknowledgementsOf(ids: readonly number[]) {
    return acknowledgementsOf(this.db, ids, this.clock.now());
  }
}
