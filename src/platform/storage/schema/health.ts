/** Problems of Muster itself. Lists, counts and reports of hosts do not read these tables. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { deliveries, rules } from "./alerts.ts";
import { count, flag, id, ownedBy, textColumn } from "./columns.ts";

/** Severity of a finding about Muster itself. */
export const FINDING_SEVERITIES = ["warning", "critical"] as const;

/** Findings about Muster itself. A finding that ended before it became a failure has no row. */
export const healthFindings = sqliteTable(
  "health_findings",
  {
    id: id(),
    code: text().notNull(), // of the check (operations/health/checks.ts)
    subject: textColumn(), // which channel, node, certificate ... it is about, "" = Muster as a whole
    severity: text({ enum: FINDING_SEVERITIES }).notNull(),
    text: text().notNull(), // what is wrong, one sentence
    advice: text().notNull(), // what to do about it
    since: integer().notNull(), // first evaluation that found it
    openedAt: integer(), // since when it is a failure, null = it was found once so far
    endedAt: integer(), // first evaluation that no longer found it, null = it lasts
  },
  (t) => [
    uniqueIndex("health_findings_open").on(t.code, t.subject).where(sql`${t.endedAt} is null`),
    index("health_findings_of_check").on(t.code, t.subject, t.since),
    index("health_findings_by_end").on(t.endedAt),
  ],
);

/** Like `acknowledgements`, but of failures of Muster itself. */
export const findingAcknowledgements = sqliteTable(
  "finding_acknowledgements",
  {
    id: id(),
    findingId: ownedBy(() => healthFindings.id),
    uname: text().notNull(), // kept when the account is deleted
    note: textColumn(),
    createdAt: integer().notNull(),
    until: integer(), // null = until the finding ends
    endedAt: integer(), // with the finding or by a user, null = not yet; one whose time is over is not closed
  },
  (t) => [
    index("finding_acknowledgements_by_finding").on(t.findingId),
    uniqueIndex("finding_acknowledgements_open").on(t.findingId).where(sql`${t.endedAt} is null`),
  ],
);

/** Size of the database on past days, from which its growth is computed. */
export const databaseSizes = sqliteTable("database_sizes", {
  day: integer().primaryKey(), // since 1970, UTC
  bytes: integer().notNull(),
});

/** Like `alerts`, for a failure of Muster itself that a rule matched. */
export const healthAlerts = sqliteTable(
  "health_alerts",
  {
    id: id(),
    ruleId: ownedBy(() => rules.id),
    findingId: ownedBy(() => healthFindings.id),
    createdAt: integer().notNull(),
    dueAt: integer(),
    notifiedAt: integer(),
    escalations: count(),
    wasAcknowledged: flag(),
    flappingAt: integer(),
    followedFrom: integer(),
    endedAt: integer(),
    closedAt: integer(),
    outcome: textColumn(),
  },
  (t) => [
    uniqueIndex("health_alerts_once").on(t.findingId, t.ruleId),
    index("health_alerts_due").on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index("health_alerts_suppressed").on(t.id).where(sql`${t.closedAt} is null and ${t.outcome} <> ''`),
    index("health_alerts_open").on(t.ruleId).where(sql`${t.closedAt} is null`),
    index("health_alerts_by_rule").on(t.ruleId),
  ],
);

/** Like `delivery_events`, for failures of Muster itself. */
export const deliveryFindings = sqliteTable(
  "delivery_findings",
  {
    deliveryId: ownedBy(() => deliveries.id),
    findingId: ownedBy(() => healthFindings.id),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.findingId] }),
    index("delivery_findings_by_finding").on(t.findingId),
  ],
);
