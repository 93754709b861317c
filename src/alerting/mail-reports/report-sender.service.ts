import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import { ALL_RIGHTS, type Rights } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { findChannel } from "../channels/channels.repository.ts";
import { type Delivery, insertDelivery } from "../notifications/deliveries.repository.ts";
import type { MessageContent, MessageSource } from "../notifications/delivery-messages.service.ts";
import { failExcess } from "../notifications/outbox.repository.ts";
import type { MailReportQueries } from "./mail-reports.queries.ts";
import {
  insertReportDelivery,
  isReportedEarly,
  type MailReport,
  type ReportReader,
  reportOfDelivery,
  reportRows,
  reportSchedules,
  setLastDay,
} from "./mail-reports.repository.ts";
import { subjectOf } from "./mail-reports.service.ts";
import { type CoveredPeriod, isFuture, newestDue, newestOver } from "./period.ts";
import { composeReport } from "./report-mail.ts";

/** Milliseconds between two checks whether a report is due. */
export const REPORT_STEP_MS = 5000;

const NO_REPORT = "the report or its recipient was deleted";
const NOT_A_RECIPIENT = "the report no longer goes to this address";
const NOTHING_COUNTED = "no time of its hosts was counted in the period";
const NOTHING_TO_SEE = "its recipient sees none of the hosts that the report is about";

export interface ReportSenderDependencies {
  db: Db;
  settings: SettingsReader;
  clock: Clock;
  queries: MailReportQueries;
  rightsOf: (reader: ReportReader) => Rights;
}

/**
 * Puts the mails of reports into the outbox when they are due, and composes each when it is sent. The end of a period
 * is stored with its mails, so each is sent once, however often Muster starts. Of periods that passed while Muster
 * was off, only the newest is sent.
 */
export class ReportSender implements MessageSource {
  constructor(private readonly dependencies: ReportSenderDependencies) {}

  /** Puts the mails that are due into the outbox. @returns false: nothing else is due */
  step(): boolean {
    const { db, clock } = this.dependencies;
    for (const { id, lastDay, ...schedule } of reportSchedules(db)) {
      const now = clock.now();
      const newest = newestDue(schedule, now, this.#timezone);
      if (newest.day === lastDay) continue;
      // A day in the future comes from a wrong clock, and would silence the report until then.
      const isAhead =
        newest.day < lastDay && (isFuture(lastDay, now, this.#timezone) || isReportedEarly(db, id, now));
      if (newest.day < lastDay && !isAhead) continue;
      transaction(db, () => {
        const report = reportRows.find(db, id);
        if (report && !isAhead) this.#enqueue(report, newest);
        setLastDay(db, id, newest.day);
      });
    }
    return false;
  }

  /**
   * Sends the last complete period now. The scheduled mail still goes out.
   * @throws ApiError 404; 400 if no recipient has a mail address
   */
  sendNow(id: number): { deliveries: number; datefrom: number; dateto: number } {
    const { db, clock } = this.dependencies;
    return transaction(db, () => {
      const report = found(reportRows.find(db, id), "report", id);
      const period = newestOver(report, clock.now(), this.#timezone);
      const deliveries = this.#enqueue(report, period);
      if (deliveries === 0) throw errors.badRequest("None of its recipients has an e-mail address");
      return { deliveries, datefrom: period.from, dateto: period.to };
    });
  }

  /** Composes the mail with what its recipient sees now. */
  async messageOf(delivery: Delivery, baseUrl: URL | null): Promise<MessageContent> {
    const { db, queries } = this.dependencies;
    const about = reportOfDelivery(db, delivery);
    const report = about && reportRows.find(db, about.reportId);
    if (!report) return { refused: NO_REPORT };
    const rights = this.#rightsOf(report, about.userId, delivery.recipient);
    if (rights === null) return { refused: NOT_A_RECIPIENT };
    const { name, period } = report;
    const subject = subjectOf(report, about, rights, this.#timezone);
    const { value: figures } = await queries.reportFigures("reports by mail", subject);
    if (figures.total.hosts === 0) return { refused: NOTHING_TO_SEE };
    if (figures.total.uptime === null) return { refused: NOTHING_COUNTED };
    const isToAddress = about.userId === null;
    // Without an account, nobody can open the page.
    const url =
      baseUrl && !isToAddress ? new URL(`/mail-reports/${report.id}?before=${about.to}`, baseUrl).href : null;
    return { url, events: [], ...composeReport({ name, period, figures, url, isToAddress }) };
  }

  /** What a recipient may see; null if the report no longer goes there. An address gets the report as a whole. */
  #rightsOf({ readers, addresses }: MailReport, userId: number | null, address: string): Rights | null {
    if (userId === null) return addresses.includes(address) ? ALL_RIGHTS : null;
    const reader = readers.find(({ id, email }) => id === userId && email === address);
    return reader ? this.dependencies.rightsOf(reader) : null;
  }

  /** Puts the mails of a period into the outbox. @returns their number */
  #enqueue(report: MailReport, { from, to }: CoveredPeriod): number {
    const { db, clock } = this.dependencies;
    const { id: reportId, name: ruleName, channel: channelId, readers, addresses } = report;
    const now = clock.now();
    const recipients = [
      ...readers.map(({ id, email }) => ({ userId: id, recipient: email })),
      ...addresses.map((recipient) => ({ userId: null, recipient })),
    ].filter(({ recipient }) => recipient !== "");
    const channelName = findChannel(db, channelId)?.name ?? "";
    for (const { userId, recipient } of recipients) {
      const row = { channelId, ruleName, channelName, recipient, kind: "report" as const };
      const state = { createdAt: now, status: "pending" as const, nextAt: now };
      const deliveryId = insertDelivery(db, { ...row, ...state }, []);
      insertReportDelivery(db, { deliveryId, reportId, userId, periodFrom: from, periodTo: to });
    }
    failExcess(db, now);
    return recipients.length;
  }

  get #timezone(): string {
    return this.dependencies.settings.get("timezone");
  }
}
