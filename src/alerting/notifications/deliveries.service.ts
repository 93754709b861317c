import type { RetentionRule } from "../../monitoring/retention/retention.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { updateChannel } from "../channels/channels.repository.ts";
import { suppressed } from "./alerts.repository.ts";
import { visibleReasons } from "./causes.ts";
import {
  countDeliveries,
  countEventsOfDelivery,
  deleteDeliveries,
  findDelivery,
  listDeliveries,
  placesOf,
  updateDelivery,
} from "./deliveries.repository.ts";
import { type DeliveryListArguments, MAX_PAGE } from "./deliveries.schemas.ts";
import { findingsOfDelivery } from "./health-alerts.repository.ts";

export const deliveryNotFailed = declareError(
  409,
  "delivery.notfailed",
  "The delivery has not failed",
  (id: number, status: string) => `Delivery ${id} has not failed: it is ${status}`,
);

/** Number of events that are listed per message. */
const LISTED_EVENTS = 50;
/** Deliveries are kept as long as someone may want to check whether a message was sent. */
const RETENTION_DAYS = 90;

/** How long deliveries are kept. */
export function deliveryRetention(db: Db): RetentionRule {
  return { days: RETENTION_DAYS, delete: (before, limit) => deleteDeliveries(db, before, limit) };
}

/** Messages that were sent or are waiting, as users see them. */
export class Deliveries {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** A page of messages, newest first. */
  list({ results: pageSize, startindex, eventid, ...others }: DeliveryListArguments) {
    const filter = { ...others, eventids: eventid === undefined ? undefined : [eventid] };
    const records = listDeliveries(this.db, filter, pageSize, startindex).map((row) => ({
      id: row.id,
      date: row.createdAt,
      kind: row.kind,
      status: row.status,
      attempts: row.attempts,
      next: row.nextAt,
      finished: row.finishedAt,
      answer: row.answer,
      rule: row.ruleName,
      ruleid: row.ruleId,
      channel: row.channelName,
      channelid: row.channelId,
      eventcount: countEventsOfDelivery(this.db, row.id),
      events: placesOf(this.db, row.id, LISTED_EVENTS),
      findings: findingsOfDelivery(this.db, row.id, row.createdAt).map(({ id, code, subject, message }) => ({
        id,
        code,
        subject,
        text: message,
      })),
      recipient: row.recipient,
      person: row.person,
    }));
    const totalRecords = countDeliveries(this.db, filter);
    return pageOf(records, { pageSize, totalRecords, startIndex: startindex });
  }

  /** Retries a failed message. @throws ApiError 404, 409 if it did not fail, 400 if it has no channel */
  retry(id: number): void {
    transaction(this.db, () => {
      const delivery = findDelivery(this.db, id);
      if (!delivery) throw errors.notFound("delivery", id);
      const { status, channelId } = delivery;
      if (status !== "failed") throw deliveryNotFailed(id, status);
      if (channelId === null)
        throw errors.badRequest(
          "There is no channel to send it through: it was deleted, or nobody could be reached",
        );
      updateDelivery(this.db, id, { status: "pending", nextAt: this.clock.now(), finishedAt: null });
      // The user should not have to wait for the channel's back-off.
      updateChannel(this.db, channelId, { heldUntil: null });
    });
  }

  /**
   * Who was notified of events of a host, and which rules suppressed messages about them. The caller has checked that
   * the scope sees the host.
   * @param admin whether to include recipients and what the remotes answered
   */
  ofEvents(hostId: number, eventIds: readonly number[], admin: boolean, scope: Scope) {
    const records = listDeliveries(this.db, { eventids: eventIds }, MAX_PAGE, 0).map((row) => ({
      rule: row.ruleName,
      kind: row.kind,
      channel: row.channelName,
      status: row.status,
      date: row.createdAt,
      finished: row.finishedAt,
      attempts: row.attempts,
      answer: admin ? row.answer : "",
      person: row.person,
      recipient: admin ? row.recipient : "",
    }));
    const visible = visibleReasons(this.db, hostId, scope);
    const heldback = suppressed(this.db, eventIds);
    return { records, heldback: heldback.map(({ rule, reason }) => ({ rule, reason: visible(reason) })) };
  }
}
