import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  hostGroups,
  mailReportGroups,
  mailReports,
  mailReportUsers,
  reportDeliveries,
  users,
} from "../../platform/storage/schema.ts";
import type { Delivery } from "../notifications/deliveries.repository.ts";

type ReportRow = typeof mailReports.$inferSelect;

/** A recipient who is a user: their role decides what they see, and their address where the mail goes. */
export interface ReportReader {
  id: number;
  uname: string;
  /** Empty: no mail reaches them. */
  email: string;
  admin: boolean;
  restricted: boolean;
}

/** A report with its groups and recipients. */
export interface MailReport extends Omit<ReportRow, "channelId" | "addresses"> {
  /** Id of the channel through which it is sent. */
  channel: number;
  /** Ids of host groups; empty if it is about everything. */
  hostgroups: number[];
  readers: ReportReader[];
  /** Mail addresses of others, who see the whole report. */
  addresses: string[];
}

const readerColumns = {
  id: users.id,
  uname: users.uname,
  email: users.email,
  admin: users.admin,
  restricted: users.restricted,
};

/** Reports with their lists, in the order of names, so that an export does not depend on ids. */
function withLists(db: Db, rows: readonly ReportRow[]): MailReport[] {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const groups = db
    .select({ reportId: mailReportGroups.reportId, groupId: mailReportGroups.groupId })
    .from(mailReportGroups)
    .innerJoin(hostGroups, eq(hostGroups.id, mailReportGroups.groupId))
    .where(inArray(mailReportGroups.reportId, ids))
    .orderBy(asc(hostGroups.name))
    .all();
  const readers = db
    .select({ reportId: mailReportUsers.reportId, ...readerColumns })
    .from(mailReportUsers)
    .innerJoin(users, eq(users.id, mailReportUsers.userId))
    .where(inArray(mailReportUsers.reportId, ids))
    .orderBy(asc(users.uname))
    .all();
  return rows.map(({ channelId, addresses, ...row }) => ({
    ...row,
    channel: channelId,
    hostgroups: groups.filter(({ reportId }) => reportId === row.id).map(({ groupId }) => groupId),
    readers: readers
      .filter(({ reportId }) => reportId === row.id)
      .map(({ reportId: _, ...reader }) => reader),
    addresses: addresses as string[],
  }));
}

/** The users of these login names. */
export function readersNamed(db: Db, unames: readonly string[]): ReportReader[] {
  return db
    .select(readerColumns)
    .from(users)
    .where(inArray(users.uname, [...unames]))
    .all();
}

type Lists = Pick<MailReport, "hostgroups" | "readers">;

function setLists(db: Db, reportId: number, { hostgroups, readers }: Partial<Lists>): void {
  if (hostgroups) {
    db.delete(mailReportGroups).where(eq(mailReportGroups.reportId, reportId)).run();
    for (const groupId of hostgroups) db.insert(mailReportGroups).values({ reportId, groupId }).run();
  }
  if (readers) {
    db.delete(mailReportUsers).where(eq(mailReportUsers.reportId, reportId)).run();
    for (const { id: userId } of readers) db.insert(mailReportUsers).values({ reportId, userId }).run();
  }
}

/** Reports with their lists. Deleting one cancels its waiting mails; the delivery log keeps the others. */
class ReportRows extends NamedRows<MailReport, ReportRow> {
  protected override complete = withLists;

  protected override columnsOf(_db: Db, { hostgroups, readers, channel, ...columns }: Partial<MailReport>) {
    return { ...columns, ...(channel !== undefined && { channelId: channel }) };
  }

  override insert(db: Db, report: Omit<MailReport, "id">): number {
    const id = super.insert(db, report);
    setLists(db, id, report);
    return id;
  }

  override update(db: Db, id: number, changes: Partial<Omit<MailReport, "id">>): void {
    super.update(db, id, changes);
    setLists(db, id, changes);
  }
}

export const reportRows = new ReportRows(mailReports);

/** The fields that decide whether a report is due; read often. */
export function reportSchedules(db: Db) {
  const { id, period, hour, lastDay } = mailReports;
  return db
    .select({ id, period, hour, lastDay })
    .from(mailReports)
    .where(eq(mailReports.enabled, true))
    .all();
}

/** Stores the local date after the last period that was sent or skipped, as in 2026-11-01. */
export function setLastDay(db: Db, id: number, lastDay: string): void {
  db.update(mailReports).set({ lastDay }).where(eq(mailReports.id, id)).run();
}

/**
 * Stores which report and period a delivery is about. Call it in the transaction that inserts the delivery.
 */
export function insertReportDelivery(db: Db, row: typeof reportDeliveries.$inferInsert): void {
  db.insert(reportDeliveries).values(row).run();
}

/**
 * Whether a report has mails about a period that is not over.
 * @param now unix seconds
 */
export function isReportedEarly(db: Db, reportId: number, now: number): boolean {
  const { reportId: report, periodTo } = reportDeliveries;
  return hasRow(db, reportDeliveries, and(eq(report, reportId), gt(periodTo, now)));
}

/** The report and the period of a delivery; undefined once the report or its recipient is deleted. */
export function reportOfDelivery(db: Db, { id }: Pick<Delivery, "id">) {
  return db
    .select({
      reportId: reportDeliveries.reportId,
      userId: reportDeliveries.userId,
      from: reportDeliveries.periodFrom,
      to: reportDeliveries.periodTo,
    })
    .from(reportDeliveries)
    .where(eq(reportDeliveries.deliveryId, id))
    .get();
}

/** Whether a user gets a report. */
export function isReader(db: Db, reportId: number, userId: number): boolean {
  const { reportId: report, userId: user } = mailReportUsers;
  return hasRow(db, mailReportUsers, and(eq(report, reportId), eq(user, userId)));
}
