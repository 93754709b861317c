/** Who is told of what, when and how; and what became of it. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { count, flag, id, words } from "./columns.ts";
import { events } from "./events.ts";
import { hostGroups, hosts, names } from "./hosts.ts";

/**
 * Kinds of message that follow from events. A check that flaps is notified once, as `flapping`, and that it no longer does
 * as `steady`, or as the problem that lasts.
 */
export const ALERT_KINDS = [
  "problem",
  "change",
  "reminder",
  "escalation",
  "recovery",
  "flapping",
  "steady",
] as const;

/** Ways out: a mail server, a webhook, a messenger. */
export const channels = sqliteTable("channels", {
  id: id(),
  name: text().notNull().unique(),
  kind: text().notNull(),
  enabled: flag(true),
  settings: text().notNull(), // JSON, sealed by the secret box: most kinds have a secret in it
  createdAt: integer().notNull(),
  failures: count(), // attempts in a row that the remote did not take
  heldUntil: integer(), // no attempt begins before, null = it is not held
  lastAt: integer(), // when the last attempt ended, null = there was none yet
  lastOutcome: text({ enum: ["sent", "refused", "failed", "unknown"] }),
  lastAnswer: words(),
});

/** Asked in the order of their position, for each event. */
export const rules = sqliteTable("rules", {
  id: id(),
  name: text().notNull().unique(),
  position: integer().notNull(),
  enabled: flag(true),
  filter: text().notNull().default("{}"), // JSON: which events (rules/event-filter.ts)
  delay: count(), // minutes that a failure must last
  repeat: count(), // minutes between reminders while it lasts, 0 = none
  recovery: flag(true),
  final: flag(), // rules after it do not see the events that it takes
  quietHours: text(), // JSON, null = none
  escalateAfter: count(), // minutes of failure after which the channels of step 1 are told too, 0 = never
  flapCount: integer().notNull().default(3), // failures of a check within flapWindow that make it flap, 0 = none do
  flapWindow: integer().notNull().default(10), // minutes
});

/** Where a rule's messages go: step 0 at first, step 1 when it escalates. */
export const ruleChannels = sqliteTable(
  "rule_channels",
  {
    ruleId: integer()
      .notNull()
      .references(() => rules.id, { onDelete: "cascade" }),
    step: integer().notNull(),
    channelId: integer()
      .notNull()
      .references(() => channels.id),
  },
  (t) => [
    primaryKey({ columns: [t.ruleId, t.step, t.channelId] }),
    index("rule_channels_by_channel").on(t.channelId),
  ],
);

/** Times in which nobody is told. Events are stored all the same. */
export const maintenanceWindows = sqliteTable("maintenance_windows", {
  id: id(),
  name: text().notNull().unique(),
  enabled: flag(true),
  filter: text().notNull().default("{}"), // JSON, as of rules
  schedule: text().notNull(), // JSON: once, or recurring (maintenance/schedule.ts)
  createdAt: integer().notNull(),
});

/**
 * That a rule took an event: the intent to tell somebody, written in the transaction of the event. Open until the failure
 * is over; of an event that is no failure, until it was told.
 */
export const alerts = sqliteTable(
  "alerts",
  {
    id: id(),
    ruleId: integer()
      .notNull()
      .references(() => rules.id, { onDelete: "cascade" }),
    eventId: integer()
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    nameId: integer()
      .notNull()
      .references(() => names.id),
    eventType: integer().notNull(),
    createdAt: integer().notNull(),
    dueAt: integer(), // when the next message of it is to be decided on, null = none is
    notifiedAt: integer(), // first message, null = none yet
    escalatedAt: integer(),
    flappingAt: integer(), // since when its check is notified as flapping, null = it is not
    closedAt: integer(),
    outcome: words(), // why it was closed or held back without a message, "" when it was not
  },
  (t) => [
    uniqueIndex("alerts_once").on(t.eventId, t.ruleId),
    index("alerts_open_of_check").on(t.hostId, t.nameId, t.eventType).where(sql`${t.closedAt} is null`),
    index("alerts_due").on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index("alerts_by_rule").on(t.ruleId),
    index("alerts_by_host").on(t.hostId),
    index("alerts_by_name").on(t.nameId),
  ],
);

/** The outbox: one message to one channel. The names outlive the rule and the channel. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    ruleId: integer().references(() => rules.id, { onDelete: "set null" }),
    channelId: integer().references(() => channels.id, { onDelete: "set null" }),
    ruleName: text().notNull(),
    channelName: text().notNull(),
    kind: text({ enum: ALERT_KINDS }).notNull(),
    createdAt: integer().notNull(),
    // sending: handed to the far side; found so after a restart, the outcome is unknown
    status: text({ enum: ["pending", "sending", "sent", "failed"] }).notNull(),
    attempts: count(),
    nextAt: integer(), // next attempt, null = none
    finishedAt: integer(),
    answer: words(), // of the far side, or why there was none, at the last attempt
  },
  (t) => [
    index("deliveries_due").on(t.nextAt).where(sql`${t.nextAt} is not null`),
    index("deliveries_by_date").on(t.createdAt, t.id),
    index("deliveries_by_rule").on(t.ruleId),
    index("deliveries_by_channel").on(t.channelId),
    index("deliveries_waiting").on(t.channelId, t.nextAt).where(sql`${t.nextAt} is not null`),
  ],
);

/** What a message tells of. */
export const deliveryEvents = sqliteTable(
  "delivery_events",
  {
    deliveryId: integer()
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    eventId: integer()
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.eventId] }),
    index("delivery_events_by_event").on(t.eventId),
  ],
);

/** Pages about a host group that everyone may read who has their address. */
export const statusPages = sqliteTable(
  "status_pages",
  {
    id: id(),
    slug: text().notNull().unique(), // last part of the address: chosen, or too long to guess
    title: text().notNull(),
    groupId: integer()
      .notNull()
      .references(() => hostGroups.id, { onDelete: "cascade" }),
    services: flag(true), // whether services are shown, or hosts only
    createdAt: integer().notNull(),
  },
  (t) => [index("status_pages_by_group").on(t.groupId)],
);
