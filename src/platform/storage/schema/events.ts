/** Events, and the intervals of downtime derived from them. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { count, flag, id, ownedBy, refersTo, textColumn } from "./columns.ts";
import { hosts, names, services } from "./hosts.ts";

/**
 * The distinct words of event messages, in order and separated by spaces. Messages that differ only in numbers
 * share a row. Rows without an event are deleted with the last event.
 */
export const eventWordSets = sqliteTable("event_word_sets", { id: id(), words: text().notNull().unique() });

/** The search index of event messages: the sets that contain a word. */
export const eventWords = sqliteTable(
  "event_words",
  {
    word: text().notNull(),
    setId: integer()
      .notNull()
      .references(() => eventWordSets.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.word, t.setId] }), index("event_words_by_set").on(t.setId)],
);

/** Events. `collected*` is the agent's time, which identifies a repetition; `date` is the server's. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    serviceType: integer().notNull(),
    date: integer().notNull(),
    collectedSec: integer().notNull(),
    collectedUsec: integer().notNull(), // negative for a failure that only the agent's status reported
    eventType: integer().notNull(), // event class bits
    state: integer().notNull(), // 0 success, 1 error, 2 change
    action: integer().notNull(),
    message: text().notNull(),
    wordSetId: integer().references(() => eventWordSets.id), // null if the message has no word
    active: flag(), // an error that is still open
    dismissed: flag(),
    dismissedFrom: integer(), // id of the first error of the failure when it was dismissed, null if that is not known
    noted: flag(),
    limitId: count(), // of Muster's own events: the limit that was exceeded; 0 = an event of the agent
    severity: count(), // of Muster's own errors: 1 warning, 2 critical
  },
  (t) => [
    // Begins with the time, so that new events of all hosts are written to the same pages.
    uniqueIndex("events_once").on(
      t.collectedSec,
      t.collectedUsec,
      t.hostId,
      t.nameId,
      t.eventType,
      t.limitId,
      t.state,
    ),
    index("events_of_check_by_date").on(t.hostId, t.nameId, t.eventType, t.limitId, t.date, t.state),
    index("events_by_date").on(t.date, t.id),
    index("events_by_host_and_date").on(t.hostId, t.date, t.id),
    index("events_by_service_name_and_date").on(t.nameId, t.date, t.id),
    // Covers every column that the query filters by.
    index("events_active_by_date")
      .on(t.date, t.id, t.hostId, t.nameId, t.dismissed, t.state, t.serviceType, t.eventType)
      .where(sql`${t.active} = 1`),
    index("events_by_word_set").on(t.wordSetId),
    index("events_noted").on(t.id).where(sql`${t.noted} = 1`),
  ],
);

/**
 * Number of events per kind and UTC day for a scope: 0 for all events, an id for a service name, a negative
 * id for a host group. Maintained by `changeEventCounts`. WITHOUT ROWID (drizzle/0001_hand_written.sql).
 */
export const eventCounts = sqliteTable(
  "event_counts",
  {
    scope: integer().notNull(),
    day: integer().notNull(), // since 1970
    serviceType: integer().notNull(),
    eventType: integer().notNull(),
    state: integer().notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.day, t.serviceType, t.eventType, t.state] })],
);

/** Number of events of a service name among the hosts of a group. Maintained like `event_counts`. */
export const eventNameCounts = sqliteTable(
  "event_name_counts",
  { groupId: integer().notNull(), nameId: integer().notNull(), n: integer().notNull() },
  (t) => [primaryKey({ columns: [t.groupId, t.nameId] })],
);

/**
 * Hosts that joined (1) or left (-1) a group but whose events are not yet reflected in the group's counts.
 * The counts cover the current members without these changes.
 */
export const groupCountChanges = sqliteTable(
  "group_count_changes",
  { hostId: integer().notNull(), groupId: integer().notNull(), sign: integer().notNull() },
  (t) => [
    primaryKey({ columns: [t.hostId, t.groupId] }),
    index("group_count_changes_by_group").on(t.groupId),
  ],
);

export const eventNotes = sqliteTable(
  "event_notes",
  {
    id: id(),
    eventId: ownedBy(() => events.id),
    date: integer().notNull(),
    uname: text().notNull(), // author's name, kept when the account is deleted
    message: text().notNull(),
  },
  (t) => [index("event_notes_by_event").on(t.eventId)],
);

/**
 * Acknowledgements: a user handles a failure, and reminders stop. An open one belongs to the active error event of
 * the failure, and follows it when the error is repeated. Ended ones are kept for previews of rules.
 */
export const acknowledgements = sqliteTable(
  "acknowledgements",
  {
    id: id(),
    eventId: ownedBy(() => events.id),
    failedFrom: integer(), // id of the first error of the failure when it was acknowledged, null if that is not known
    uname: text().notNull(), // kept when the account is deleted
    note: textColumn(),
    createdAt: integer().notNull(),
    until: integer(), // null = until the failure ends
    endedAt: integer(), // by recovery or by a user, null = not yet; one whose time is over is not closed
  },
  (t) => [
    index("acknowledgements_by_event").on(t.eventId),
    uniqueIndex("acknowledgements_open").on(t.eventId).where(sql`${t.endedAt} is null`),
  ],
);

/**
 * Recoveries without an event: the agent stopped monitoring the check or reported it as clear. Downtime
 * intervals are derived from these, together with success and error events.
 */
export const silentRecoveries = sqliteTable(
  "silent_recoveries",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    eventType: integer().notNull(),
    limitId: count(),
    date: integer().notNull(),
  },
  (t) => [
    index("silent_recoveries_of_check").on(t.hostId, t.nameId, t.eventType, t.limitId, t.date),
    index("silent_recoveries_by_date").on(t.date),
    index("silent_recoveries_by_name").on(t.nameId),
  ],
);

/**
 * Failures in the last status of a service that no event of its agent reported. If the next status reports one again,
 * it is opened.
 */
export const suspectedFailures = sqliteTable(
  "suspected_failures",
  {
    hostId: ownedBy(() => hosts.id),
    serviceId: ownedBy(() => services.id),
    eventType: integer().notNull(), // one event class
    since: integer().notNull(), // date of the check that found it first, by the clock of the server
    collectedSec: integer().notNull(), // the same by the agent's clock; 0 = unknown
    receivedAt: integer().notNull(), // of the status that reported it first
  },
  (t) => [
    primaryKey({ columns: [t.serviceId, t.eventType] }),
    index("suspected_failures_by_host").on(t.hostId),
  ],
);

/**
 * When a check (host, service name, event class, limit) was failing; a null `endedAt` means it still is. The limit is
 * 0 for checks of agents. An outage of the host itself is the check (host, "Monit", heartbeat). The clear* columns
 * count reports without the failure, which lead to a silent recovery.
 */
export const downtimeIntervals = sqliteTable(
  "downtime_intervals",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    eventType: integer().notNull(),
    limitId: count(),
    startedAt: integer().notNull(),
    endedAt: integer(),
    incarnation: integer().notNull().default(0), // of the agent that last reported the failure
    clearCount: count(),
    clearSince: count(),
    clearCollectedSec: count(),
  },
  (t) => [
    index("downtime_of_check_by_start").on(t.hostId, t.nameId, t.eventType, t.limitId, t.startedAt),
    index("downtime_open").on(t.hostId).where(sql`${t.endedAt} is null`),
    // The start is included, so that the index alone tells which failures were open at a moment.
    index("downtime_by_end").on(t.endedAt, t.startedAt).where(sql`${t.endedAt} is not null`),
    index("downtime_by_name").on(t.nameId),
    index("downtime_of_silence").on(t.hostId, t.startedAt).where(sql`${t.eventType} = 1048576`),
  ],
);

/** Excluded time, neither up nor down: of a service, of a host or, without either, of Muster itself. */
export const excludedIntervals = sqliteTable(
  "excluded_intervals",
  {
    id: id(),
    hostId: integer().references(() => hosts.id, { onDelete: "cascade" }),
    serviceId: integer().references(() => services.id, { onDelete: "cascade" }),
    reason: text({ enum: ["off", "stopped", "ignored", "unmonitored", "vanished", "deleted"] }).notNull(),
    startedAt: integer().notNull(),
    endedAt: integer(),
  },
  (t) => [
    index("excluded_by_host").on(t.hostId, t.serviceId, t.startedAt),
    index("excluded_whole_hosts").on(t.hostId, t.startedAt).where(sql`${t.serviceId} is null`),
    index("excluded_by_service").on(t.serviceId),
    index("excluded_by_end").on(t.endedAt),
  ],
);
