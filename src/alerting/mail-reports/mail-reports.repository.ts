import { and, asc, eq, inArray } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  mailReportGroups,
  mailReports,
  mailReportUsers,
  reportDeliveries,
  users,
} from "../../platform/storage/schema.ts";
import type { Delivery } from "../notifications/deliveries.repository.ts";

type ReportRow = typeof mailReports.$inferSelect;

/** A recipient who is a user: what decides on what they see, and where their mail goes. */
export interface Reader {
  id: number;
  uname: string;
  /** Empty: no mail reaches them. */
  email: string;
  admin: boolean;
  restricted: boolean;
}

export interface MailReport extends Omit<ReportRow, "addresses"> {
  /** Ids of host groups; empty if it is about everything. */
  groups: number[];
  readers: Reader[];
  /** Mail addresses of others, who see all that the report is about. */
  addresses: string[];
}

/** What administrators set. */
export type ReportContent = Omit<MailReport, "id" | "lastDay" | "readers"> & { userIds: number[] };

const readerColumns = {
  id: users.id,
  uname: users.uname,
  email: users.email,
  admin: users.admin,
  restricted: users.restricted,
};

function parsed(db: Db, rows: readonly ReportRow[]): MailReport[] {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const groups = db
    .select()
    .from(mailReportGroups)
    .where(inArray(mailReportGroups.reportId, ids))
    .orderBy(asc(mailReportGroups.groupId))
    .all();
  const readers = db
    .select({ reportId: mailReportUsers.reportId, ...readerColumns })
    .from(mailReportUsers)
    .innerJoin(users, eq(users.id, mailReportUsers.userId))
    .where(inArray(mailReportUsers.reportId, ids))
    .orderBy(asc(users.id))
    .all();
  return rows.map((row) => ({
    ...row,
    groups: groups.filter(({ reportId }) => reportId === row.id).map(({ groupId }) => groupId),
    readers: readers
      .filter(({ reportId }) => reportId === row.id)
      .map(({ reportId: _, ...reader }) => reader),
    addresses: JSON.parse(row.addresses) as string[],
  }));
}

/** Every report, by name. */
export function allReports(db: Db): MailReport[] {
  return inNameOrder(parsed(db, db.select().from(mailReports).orderBy(asc(mailReports.id)).all()), byName);
}

const byName = ({ name }: MailReport) => name;

/** What decides whether a report is due; read often. */
export function reportSchedules(db: Db) {
  const { id, period, hour, lastDay } = mailReports;
  return db
    .select({ id, period, hour, lastDay })
    .from(mailReports)
    .where(eq(mailReports.enabled, true))
    .all();
}

export function findReport(db: Db, id: number): MailReport | undefined {
  return parsed(db, db.select().from(mailReports).where(eq(mailReports.id, id)).all())[0];
}

export function findReportByName(db: Db, name: string) {
  return db.select({ id: mailReports.id }).from(mailReports).where(eq(mailReports.name, name)).get();
}

function columnsOf({ groups: _, userIds: __, addresses, ...same }: ReportContent) {
  return { ...same, addresses: JSON.stringify(addresses) };
}

function setLists(db: Db, reportId: number, { groups, userIds }: ReportContent): void {
  db.delete(mailReportGroups).where(eq(mailReportGroups.reportId, reportId)).run();
  db.delete(mailReportUsers).where(eq(mailReportUsers.reportId, reportId)).run();
  for (const groupId of groups) db.insert(mailReportGroups).values({ reportId, groupId }).run();
  for (const userId of userIds) db.insert(mailReportUsers).values({ reportId, userId }).run();
}

/** @returns the id of the new report */
export function insertReport(db: Db, content: ReportContent, lastDay: string): number {
  const row = { ...columnsOf(content), lastDay };
  const { id } = db.insert(mailReports).values(row).returning({ id: mailReports.id }).get();
  setLists(db, id, content);
  return id;
}

export function updateReport(db: Db, id: number, content: ReportContent): void {
  db.update(mailReports).set(columnsOf(content)).where(eq(mailReports.id, id)).run();
  setLists(db, id, content);
}

export function setLastDay(db: Db, id: number, lastDay: string): void {
  db.update(mailReports).set({ lastDay }).where(eq(mailReports.id, id)).run();
}

/** Deletes a report. Its mails that wait are given up; the delivery log keeps the others. */
export function deleteReport(db: Db, id: number): void {
  db.delete(mailReports).where(eq(mailReports.id, id)).run();
}

export function insertReportDelivery(db: Db, row: typeof reportDeliveries.$inferInsert): void {
  db.insert(reportDeliveries).values(row).run();
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
  const found = db.select({ userId: user }).from(mailReportUsers);
  return found.where(and(eq(report, reportId), eq(user, userId))).get() !== undefined;
}
