/** Alert rules, their channels, matched alerts and deliveries; maintenance windows and status pages. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { users } from "./accounts.ts";
import { count, flag, id, jsonColumn, ownedBy, refersTo, textColumn } from "./columns.ts";
import { events } from "./events.ts";
import { hostGroups, hosts, names } from "./hosts.ts";

/** Kinds of message. A flapping check is reported as `flapping`, then as `steady` or as a problem. */
export const ALERT_KINDS = [
  "problem",
  "change",
  "reminder",
  "escalation",
  "recovery",
  "flapping",
  "steady",
] as const;

/** Kinds of deliveries in their list: a report by mail and the notice of a shift are about no event. */
export const LISTED_KINDS = [...ALERT_KINDS, "report", "shift"] as const;
/** Rehearsals have their own list. */
export const DELIVERY_KINDS = [...LISTED_KINDS, "rehearsal"] as const;

export const DELIVERY_STATUSES = ["pending", "sending", "sent", "failed"] as const;
/** Outcomes of an attempt to send (`Answer.outcome`). */
export const ATTEMPT_OUTCOMES = ["sent", "refused", "failed", "unknown"] as const;

export const channels = sqliteTable("channels", {
  id: id(),
  name: text().notNull().unique(),
  kind: text().notNull(),
  enabled: flag(true),
  settings: text().notNull(), // JSON, sealed by the secret box: most kinds contain a secret
  createdAt: integer().notNull(),
  failures: count(), // consecutive failed attempts
  heldUntil: integer(), // no attempt before this time, null = not on hold
  lastAt: integer(), // end of the last attempt, null = none yet
  lastOutcome: text({ enum: ATTEMPT_OUTCOMES }),
  lastAnswer: textColumn(),
});

/**
 * Alert rules, evaluated for each event in the order of their position. Columns have the names of the resource's
 * fields (alerting/rules/rules.schemas.ts), where they are described.
 */
export const rules = sqliteTable("rules", {
  id: id(),
  name: text().notNull().unique(),
  position: integer().notNull(),
  enabled: flag(true),
  disabledAt: integer(), // since when it is disabled, null = it is enabled
  filter: jsonColumn().default({}),
  delay: count(),
  repeat: count(),
  recovery: flag(true),
  final: flag(),
  quiet: text("quiet_hours", { mode: "json" }),
  stepMinutes: jsonColumn().default([0]), // minutes of failure after which each step is notified
  flapcount: integer("flap_count").notNull().default(3),
  flapwindow: integer("flap_window").notNull().default(10),
});

/** Channels of a rule, by step: step 0 is notified first, the others on escalation. */
export const ruleChannels = sqliteTable(
  "rule_channels",
  {
    ruleId: ownedBy(() => rules.id),
    step: integer().notNull(),
    channelId: refersTo(() => channels.id),
  },
  (t) => [
    primaryKey({ columns: [t.ruleId, t.step, t.channelId] }),
    index("rule_channels_by_channel").on(t.channelId),
  ],
);

/** Users of a rule, by step. */
export const ruleUsers = sqliteTable(
  "rule_users",
  {
    ruleId: ownedBy(() => rules.id),
    step: integer().notNull(),
    userId: refersTo(() => users.id),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.step, t.userId] }), index("rule_users_by_user").on(t.userId)],
);

/** Schedules of a rule, by step: the person on call at that time is notified. */
export const ruleSchedules = sqliteTable(
  "rule_schedules",
  {
    ruleId: ownedBy(() => rules.id),
    step: integer().notNull(),
    scheduleId: refersTo(() => onCallSchedules.id),
  },
  (t) => [
    primaryKey({ columns: [t.ruleId, t.step, t.scheduleId] }),
    index("rule_schedules_by_schedule").on(t.scheduleId),
  ],
);

/** Channels through which a user is notified. A channel with recipients sends to the user's mail address. */
export const contacts = sqliteTable(
  "contacts",
  {
    userId: ownedBy(() => users.id),
    channelId: refersTo(() => channels.id),
  },
  (t) => [primaryKey({ columns: [t.userId, t.channelId] }), index("contacts_by_channel").on(t.channelId)],
);

/**
 * Maintenance windows: notifications are paused, events are still stored. They are planned and have a name, or they
 * are mutes: begun by a user, once, without a name.
 */
export const maintenanceWindows = sqliteTable("maintenance_windows", {
  id: id(),
  name: text().unique(), // null = a mute
  enabled: flag(true),
  filter: text({ mode: "json" }).notNull().default({}), // of a mute also ids of rules
  schedule: jsonColumn(), // once, or recurring (maintenance/schedule.ts)
  createdAt: integer().notNull(),
  mutedBy: text(), // login name of the user who began a mute, null = planned
  note: textColumn(), // of a mute
  leasedUntil: integer(), // a mute while a command runs: ends unless it is renewed before, null = no lease
  grace: count(), // seconds that hosts have to recover after the lease
});

/**
 * A matched alert: an event that a rule matched, written in the event's transaction. It stays open until the
 * failure is resolved or, for other events, until it is notified.
 */
export const alerts = sqliteTable(
  "alerts",
  {
    id: id(),
    ruleId: ownedBy(() => rules.id),
    eventId: ownedBy(() => events.id),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    eventType: integer().notNull(),
    limitId: count(), // as in events
    createdAt: integer().notNull(),
    dueAt: integer(), // when the next message is decided, null = none is due
    notifiedAt: integer(), // first message, null = none yet
    escalations: count(), // steps after the first one that were notified, -1 = another step is the first since
    wasAcknowledged: flag(), // someone acknowledged its failure since the last message about it
    flappingAt: integer(), // since when the check is notified as flapping, null = it is not
    followedFrom: integer(), // start of the failure that it follows since the check no longer flaps, null = that of its event
    endedAt: integer(), // end of its failure if the check has failed anew since, null = it follows the check's newest failure
    closedAt: integer(),
    outcome: textColumn(), // why it was closed or suppressed without a message, "" otherwise
  },
  (t) => [
    uniqueIndex("alerts_once").on(t.eventId, t.ruleId),
    index("alerts_open_of_check")
      .on(t.hostId, t.nameId, t.eventType, t.limitId)
      .where(sql`${t.closedAt} is null`),
    index("alerts_due").on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index("alerts_suppressed").on(t.id).where(sql`${t.closedAt} is null and ${t.outcome} <> ''`),
    index("alerts_open_of_rule").on(t.ruleId, t.id).where(sql`${t.closedAt} is null`),
    index("alerts_by_rule").on(t.ruleId),
    index("alerts_by_host").on(t.hostId),
    index("alerts_by_name").on(t.nameId),
  ],
);

/** What an alert is about: an event of a host, or a finding about Muster itself. */
export const REPORTED = ["events", "findings"] as const;

/** Open alerts that are being made due in steps, because what they wait for changed. Without a row, none are. */
export const alertWakes = sqliteTable(
  "alert_wakes",
  {
    reported: text({ enum: REPORTED }).notNull(), // the alerts about these
    ruleId: count(), // the alerts of this rule, 0 = those of all rules that are suppressed
    afterId: integer().notNull(), // alerts up to this id are done
    closedUntil: count(), // alerts up to this id are closed instead, since the rule was disabled
  },
  (t) => [primaryKey({ columns: [t.reported, t.ruleId] })],
);

/** The outbox: one message to one channel. Names are copied, since rule and channel may be deleted. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    ruleId: integer().references(() => rules.id, { onDelete: "set null" }),
    channelId: integer().references(() => channels.id, { onDelete: "set null" }),
    ruleName: text().notNull(), // or that of a report, or of a schedule that is rehearsed
    channelName: text().notNull(),
    recipient: textColumn(), // one of the channel's recipients or a person's own address, "" = all recipients
    person: textColumn(), // login name of the user whom it is for, "" = it is for the channel
    kind: text({ enum: DELIVERY_KINDS }).notNull(),
    createdAt: integer().notNull(),
    // sending: handed to the remote. If it is found in this state after a restart, its outcome is unknown.
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    attempts: count(),
    nextAt: integer(), // next attempt, null = none
    finishedAt: integer(),
    answer: textColumn(), // of the remote at the last attempt, or why there was none
  },
  (t) => [
    index("deliveries_due").on(t.nextAt).where(sql`${t.nextAt} is not null`),
    index("deliveries_by_date").on(t.createdAt, t.id),
    index("deliveries_by_rule").on(t.ruleId),
    index("deliveries_by_channel").on(t.channelId),
    index("deliveries_waiting").on(t.channelId, t.nextAt).where(sql`${t.nextAt} is not null`),
  ],
);

/**
 * Links in messages with which a recipient acknowledges the failures that the message reports. Only a hash of the
 * secret part is stored. An attempt to send makes a link of its own.
 */
export const acknowledgeLinks = sqliteTable(
  "acknowledge_links",
  {
    id: id(),
    hash: text().notNull().unique(),
    deliveryId: ownedBy(() => deliveries.id),
    createdAt: integer().notNull(),
    usedAt: integer(), // null = not yet
  },
  (t) => [index("acknowledge_links_by_delivery").on(t.deliveryId)],
);

export const deliveryEvents = sqliteTable(
  "delivery_events",
  {
    deliveryId: ownedBy(() => deliveries.id),
    eventId: ownedBy(() => events.id),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.eventId] }),
    index("delivery_events_by_event").on(t.eventId),
  ],
);

/** Public pages about a host group, readable by everyone who has the address. */
export const statusPages = sqliteTable(
  "status_pages",
  {
    id: id(),
    slug: text().notNull().unique(), // last part of the address: chosen by an administrator, or random and unguessable
    title: text().notNull(),
    hostgroup: integer("group_id")
      .notNull()
      .references(() => hostGroups.id, { onDelete: "cascade" }),
    tags: jsonColumn().$type<string[]>().default(sql`'[]'`), // only hosts of the group with these tags
    services: flag(true), // whether services are shown in addition to hosts
    createdAt: integer().notNull(),
  },
  (t) => [index("status_pages_by_group").on(t.hostgroup)],
);

/** What status pages tell the public about a host, or about a failure of it. Rows are ended, and never changed. */
export const publicNotes = sqliteTable(
  "public_notes",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    eventId: integer().references(() => events.id, { onDelete: "cascade" }), // of the failure, null = about the host
    text: text().notNull(),
    uname: text().notNull(), // author's name, kept when the account is deleted
    createdAt: integer().notNull(),
    endedAt: integer(), // when it was replaced or withdrawn, null = neither
    endedBy: textColumn(), // by whom
  },
  (t) => [
    index("public_notes_by_host").on(t.hostId, t.createdAt),
    index("public_notes_by_event").on(t.eventId).where(sql`${t.eventId} is not null`),
  ],
);

/**
 * Dependencies. While the cause fails, alerts about failures of the dependent are suppressed. A service is named by
 * its text, since services vanish and return; "" = the whole host.
 */
export const dependencies = sqliteTable(
  "dependencies",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    service: textColumn(),
    causeHostId: ownedBy(() => hosts.id),
    causeService: textColumn(),
  },
  (t) => [
    uniqueIndex("dependencies_once").on(t.hostId, t.service, t.causeHostId, t.causeService),
    index("dependencies_by_cause").on(t.causeHostId),
  ],
);

/** Schedules of people on call. The content of the rotations is in on-call/rotation.ts. */
export const onCallSchedules = sqliteTable("on_call_schedules", {
  id: id(),
  name: text().notNull().unique(),
  timezone: text().notNull(),
  rotations: jsonColumn(),
  noticeminutes: integer("notice_minutes").notNull().default(0), // before a shift, 0 = none
  handovernotice: integer("handover_notice", { mode: "boolean" }).notNull().default(false),
  createdAt: integer().notNull(),
});

/** What a message about a shift tells: that it begins soon, that it begins, or that someone else's begins. */
export const SHIFT_PARTS = ["before", "begins", "ends"] as const;

/** The messages about shifts: deliveries of the kind "shift". Nobody is notified twice of the same part of a shift. */
export const shiftNotices = sqliteTable(
  "shift_notices",
  {
    deliveryId: integer()
      .primaryKey()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    scheduleId: ownedBy(() => onCallSchedules.id),
    userId: ownedBy(() => users.id),
    part: text({ enum: SHIFT_PARTS }).notNull(),
    startsAt: integer().notNull(), // when the shift begins
  },
  (t) => [
    index("shift_notices_of_shift").on(t.scheduleId, t.startsAt),
    index("shift_notices_by_user").on(t.userId),
  ],
);

/** Times in which a user is on call instead of the rotations of a schedule. */
export const onCallOverrides = sqliteTable(
  "on_call_overrides",
  {
    id: id(),
    scheduleId: ownedBy(() => onCallSchedules.id),
    userId: ownedBy(() => users.id),
    from: integer("begins_at").notNull(),
    to: integer("ends_at").notNull(),
    createdBy: text().notNull(), // login name
  },
  (t) => [
    index("on_call_overrides_by_schedule").on(t.scheduleId, t.to),
    index("on_call_overrides_by_user").on(t.userId),
  ],
);

/** Saved views of the fleet: a metric, a group, an order, and the compared hosts, as JSON. */
export const savedViews = sqliteTable("saved_views", {
  id: id(),
  name: text().notNull().unique(),
  content: jsonColumn(),
  createdAt: integer().notNull(),
});

/** Saved filters of the lists of hosts and of events: the query of the list's address. Walls do not show them. */
export const savedFilters = sqliteTable("saved_filters", {
  id: id(),
  name: text().notNull().unique(),
  screen: text({ enum: ["hosts", "events"] }).notNull(),
  query: text().notNull(),
  createdAt: integer().notNull(),
});

/** Tokens with which a wall shows one view. Only the hash of a token is stored. */
export const viewTokens = sqliteTable(
  "view_tokens",
  {
    id: id(),
    viewId: ownedBy(() => savedViews.id),
    name: text().notNull(),
    tokenHash: text().notNull().unique(),
    createdAt: integer().notNull(),
    usedAt: integer(), // null = not yet
  },
  (t) => [index("view_tokens_by_view").on(t.viewId)],
);
