/** Reports by mail: their content, their recipients, and their mails. */
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./accounts.ts";
import { channels, deliveries } from "./alerts.ts";
import { flag, id, ownedBy, refersTo } from "./columns.ts";
import { hostGroups } from "./hosts.ts";

/** How often a report is sent: after each day, week or month. */
export const REPORT_PERIODS = ["daily", "weekly", "monthly"] as const;

export const mailReports = sqliteTable(
  "mail_reports",
  {
    id: id(),
    name: text().notNull().unique(),
    enabled: flag(true),
    period: text({ enum: REPORT_PERIODS }).notNull(),
    hour: integer().notNull(), // 0 to 23, in the time zone of reports
    everything: flag(), // about all hosts; otherwise about the groups in mail_report_groups
    target: real().notNull(), // target uptime, percent
    channelId: refersTo(() => channels.id),
    addresses: text({ mode: "json" }).notNull().default([]), // recipients without an account
    lastDay: text().notNull(), // local date after the last period that was sent or skipped, as in 2026-11-01
  },
  (t) => [index("mail_reports_by_channel").on(t.channelId)],
);

/** The host groups of a report. If none is left, it covers no host. */
export const mailReportGroups = sqliteTable(
  "mail_report_groups",
  {
    reportId: ownedBy(() => mailReports.id),
    groupId: ownedBy(() => hostGroups.id),
  },
  (t) => [
    primaryKey({ columns: [t.reportId, t.groupId] }),
    index("mail_report_groups_by_group").on(t.groupId),
  ],
);

/** The users who get a report. */
export const mailReportUsers = sqliteTable(
  "mail_report_users",
  {
    reportId: ownedBy(() => mailReports.id),
    userId: ownedBy(() => users.id),
  },
  (t) => [primaryKey({ columns: [t.reportId, t.userId] }), index("mail_report_users_by_user").on(t.userId)],
);

/** The report of a delivery of the kind "report". Its mail is composed when it is sent. */
export const reportDeliveries = sqliteTable(
  "report_deliveries",
  {
    deliveryId: integer()
      .primaryKey()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    reportId: ownedBy(() => mailReports.id),
    userId: integer().references(() => users.id, { onDelete: "cascade" }), // null = an address of the report
    periodFrom: integer().notNull(),
    periodTo: integer().notNull(),
  },
  (t) => [
    index("report_deliveries_by_report").on(t.reportId),
    index("report_deliveries_by_user").on(t.userId),
  ],
);
