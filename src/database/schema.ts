/**
 * Every table of muster.db. Times are unix seconds. `drizzle-kit generate` reads this file; the migrations in
 * drizzle/ are made from it and never edited by hand. Indexes are named after the question they answer.
 */
import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

const id = () => integer().primaryKey({ autoIncrement: true });
const flag = (initial = false) => integer({ mode: "boolean" }).notNull().default(initial);
const words = () => text().notNull().default("");
const count = () => integer().notNull().default(0);

/** Service names, shared by every service and event that bears the same string (`nameid`, `servicenameid`). */
export const names = sqliteTable("names", { id: id(), name: text().notNull().unique() });

/** One row per agent id: what the agent said of itself, what the administrator set, and the state derived from both. */
export const hosts = sqliteTable(
  "hosts",
  {
    id: id(),
    agentId: text().notNull().unique(),
    createdAt: integer().notNull(),

    // Settings: set by the administrator, except that agentuser and agentpassword follow the agent until he does.
    hostname: text().notNull(),
    keepname: flag(),
    description: words(),
    ipaddrout: words(),
    portout: integer().notNull().default(-1),
    sslout: integer().notNull().default(-1),
    sslverify: flag(true),
    agentuser: words(),
    agentpassword: words(), // sealed by the secret box, "" when none
    credentialsSetByAdmin: flag(),
    skew: integer().notNull().default(3),

    // Reported by the agent.
    ipaddrin: words(),
    portin: integer().notNull().default(-1),
    sslin: flag(),
    poll: integer().notNull(),
    incarnation: integer().notNull(), // by the agent's clock
    earlierIncarnation: integer(), // the one before; an agent that goes back to it is one of two
    clockOffset: integer().notNull().default(0), // seconds to add to the agent's dates
    agentVersion: words(),
    controlFile: words(),
    startDelay: count(),
    agentUptime: count(),
    platformName: words(),
    platformRelease: words(),
    platformVersion: words(),
    platformMachine: words(),
    cpuCount: count(),
    memoryKb: count(),
    swapKb: count(),

    // State.
    status: integer().notNull().default(0), // 0 Active, 1 Inactive, 2 Ignored
    stopped: flag(), // Inactive by a graceful stop or by hand: stays so until a new incarnation
    heartbeat: integer().notNull().default(1), // 0 dead, 1 ok
    deadline: integer().notNull(), // without a message by then the host is overdue
    lastmodified: integer().notNull(), // receipt of the last message
    conflict: words(), // why actions are held back, "" when they are not
    led: integer().notNull().default(3),
    statusText: words(),
    cpu: real().notNull().default(-1),
    mem: real().notNull().default(-1),
    events: count(),
    servicesTotal: count(),
    servicesOk: count(),
  },
  (t) => [
    index("hosts_overdue").on(t.deadline).where(sql`${t.status} = 0`),
    index("hosts_by_name").on(t.hostname, t.id),
    index("hosts_by_led").on(t.led, t.hostname),
  ],
);

/** A service of a host. One that vanished from the agent's document keeps its row, and so its id, should it return. */
export const services = sqliteTable(
  "services",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    nameId: integer()
      .notNull()
      .references(() => names.id),
    createdAt: integer().notNull(),
    vanishedAt: integer(),
    type: integer().notNull(),
    monitorState: integer().notNull(),
    monitorMode: integer().notNull(),
    onReboot: integer().notNull(),
    status: integer().notNull(), // a bit per event class that failed or changed
    statusHint: integer().notNull(), // the bits of status that mean "changed"
    every: words(),
    led: integer().notNull(),
    events: count(),
  },
  (t) => [
    uniqueIndex("services_by_host_and_name").on(t.hostId, t.nameId),
    index("services_vanished").on(t.vanishedAt).where(sql`${t.vanishedAt} is not null`),
  ],
);

/** A number (or text) that a service reports every cycle. Its values live in samples. */
export const statistics = sqliteTable(
  "statistics",
  {
    id: id(),
    serviceId: integer()
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
    type: integer().notNull(),
    descriptor: words(),
    text: text(), // latest text of statistics that are no number
  },
  (t) => [uniqueIndex("statistics_by_service").on(t.serviceId, t.type, t.descriptor)],
);

/** Which statistics, in which order, the values of a sample belong to: a list of statistic ids (uint32, little endian). */
export const sampleLayouts = sqliteTable(
  "sample_layouts",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    statisticIds: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("sample_layouts_by_host").on(t.hostId)],
);

/** All numbers of one message in one row: float64, little endian, in the order of the layout. */
export const samples = sqliteTable(
  "samples",
  {
    id: integer().primaryKey(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    // No foreign key: deleting a host's layouts would look for each of them in all samples.
    layoutId: integer().notNull(),
    at: integer().notNull(), // receipt
    values: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("samples_by_host_and_time").on(t.hostId, t.at)],
);

/** Samples of a finished span, packed (see history/block.ts): as measured, or summed up per period of `resolution`. */
export const historyBlocks = sqliteTable(
  "history_blocks",
  {
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    resolution: integer().notNull(), // seconds; 0 = as measured
    start: integer().notNull(), // of the span
    payload: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.hostId, t.resolution, t.start] }),
    index("history_blocks_by_age").on(t.resolution, t.start, t.hostId),
  ],
);

/** Service groups of an agent's control file. */
export const serviceGroups = sqliteTable(
  "service_groups",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    name: text().notNull(),
  },
  (t) => [uniqueIndex("service_groups_by_host_and_name").on(t.hostId, t.name)],
);

export const serviceGroupMembers = sqliteTable(
  "service_group_members",
  {
    groupId: integer()
      .notNull()
      .references(() => serviceGroups.id, { onDelete: "cascade" }),
    serviceId: integer()
      .notNull()
      .references(() => services.id, { onDelete: "cascade" }),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.serviceId] }),
    index("service_group_members_by_service").on(t.serviceId),
  ],
);

export const hostGroups = sqliteTable("host_groups", { id: id(), name: text().notNull().unique() });

/** Membership has two origins, and each ends by itself: an administrator's hand, and the agent's own `hostgroups`. */
export const hostGroupMembers = sqliteTable(
  "host_group_members",
  {
    groupId: integer()
      .notNull()
      .references(() => hostGroups.id, { onDelete: "cascade" }),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    byHand: flag(),
    byAgent: flag(),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.hostId] }), index("host_group_members_by_host").on(t.hostId)],
);

/** Events as stored. `collected*` are the agent's own stamp, which tells a repetition; `date` is on our clock. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    nameId: integer()
      .notNull()
      .references(() => names.id),
    serviceType: integer().notNull(),
    date: integer().notNull(),
    collectedSec: integer().notNull(),
    collectedUsec: integer().notNull(),
    eventType: integer().notNull(), // event class bits
    state: integer().notNull(), // 0 success, 1 error, 2 change
    action: integer().notNull(),
    message: text().notNull(),
    active: flag(), // an error that is still open
    dismissed: flag(),
    noted: flag(),
  },
  (t) => [
    uniqueIndex("events_once").on(t.hostId, t.nameId, t.eventType, t.state, t.collectedSec, t.collectedUsec),
    index("events_of_check_by_date").on(t.hostId, t.nameId, t.eventType, t.date),
    index("events_by_date").on(t.date, t.id),
    index("events_by_host_and_date").on(t.hostId, t.date, t.id),
    index("events_by_service_name_and_date").on(t.nameId, t.date, t.id),
    index("events_active_by_date").on(t.date, t.id).where(sql`${t.active} = 1`),
  ],
);

export const eventNotes = sqliteTable(
  "event_notes",
  {
    id: id(),
    eventId: integer()
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
    date: integer().notNull(),
    uname: text().notNull(), // the author's name outlives his account
    message: text().notNull(),
  },
  (t) => [index("event_notes_by_event").on(t.eventId)],
);

/**
 * Recoveries that no event told: the agent stopped monitoring the check, or reported it clear. Together with the
 * success and error events they are the points from which downtime intervals follow.
 */
export const silentRecoveries = sqliteTable(
  "silent_recoveries",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    nameId: integer()
      .notNull()
      .references(() => names.id),
    eventType: integer().notNull(),
    date: integer().notNull(),
  },
  (t) => [
    index("silent_recoveries_of_check").on(t.hostId, t.nameId, t.eventType, t.date),
    index("silent_recoveries_by_date").on(t.date),
  ],
);

/**
 * When a check (host, service name, event class) was failing; `endedAt` null = still. The host's own silence is the
 * check (host, "Monit", heartbeat). The clear* columns count reports without the failure towards a silent recovery.
 */
export const downtimeIntervals = sqliteTable(
  "downtime_intervals",
  {
    id: id(),
    hostId: integer()
      .notNull()
      .references(() => hosts.id, { onDelete: "cascade" }),
    nameId: integer()
      .notNull()
      .references(() => names.id),
    eventType: integer().notNull(),
    startedAt: integer().notNull(),
    endedAt: integer(),
    incarnation: integer().notNull().default(0), // of the agent that last reported the failure
    clearCount: count(),
    clearSince: count(),
    clearCollectedSec: count(),
  },
  (t) => [
    index("downtime_of_check_by_start").on(t.hostId, t.nameId, t.eventType, t.startedAt),
    index("downtime_open").on(t.hostId).where(sql`${t.endedAt} is null`),
    index("downtime_by_end").on(t.endedAt),
    index("downtime_of_silence").on(t.hostId, t.startedAt).where(sql`${t.eventType} = 1048576`),
  ],
);

/** Time that counts neither as up nor as down. Without a host: Muster itself was off. Without a service: the whole host. */
export const uncountedIntervals = sqliteTable(
  "uncounted_intervals",
  {
    id: id(),
    hostId: integer().references(() => hosts.id, { onDelete: "cascade" }),
    serviceId: integer().references(() => services.id, { onDelete: "cascade" }),
    reason: text({ enum: ["off", "stopped", "ignored", "unmonitored", "vanished"] }).notNull(),
    startedAt: integer().notNull(),
    endedAt: integer(),
  },
  (t) => [
    index("uncounted_by_host").on(t.hostId, t.serviceId, t.startedAt),
    index("uncounted_whole_hosts").on(t.hostId, t.startedAt).where(sql`${t.serviceId} is null`),
    index("uncounted_by_service").on(t.serviceId),
    index("uncounted_by_end").on(t.endedAt),
  ],
);

export const users = sqliteTable("users", {
  id: id(),
  uname: text().notNull().unique(),
  passwordMd5: text().notNull(), // sealed by the secret box
  fullname: words(),
  image: words(),
  title: words(),
  email: words(),
  phone: words(),
  mobile: words(),
  imname: words(),
  imtype: words(),
  admin: flag(),
});

/** A row exists only after a login. The cookie's value is never stored, only its hash. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    csrfProtection: flag(true),
    createdAt: integer().notNull(),
    usedAt: integer().notNull(),
    address: words(),
    userAgent: words(),
  },
  (t) => [index("sessions_by_user").on(t.userId), index("sessions_by_use").on(t.usedAt)],
);

export const sessionAttributes = sqliteTable(
  "session_attributes",
  {
    sessionIdHash: text()
      .notNull()
      .references(() => sessions.idHash, { onDelete: "cascade" }),
    key: text().notNull(),
    value: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionIdHash, t.key] })],
);

/** Keys with which programs call as a user. The key itself is never stored, only its hash. */
export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    tokenHash: text().notNull().unique(),
    scope: text({ enum: ["read", "full"] }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(), // null = never
    usedAt: integer(), // null = not yet
  },
  (t) => [index("api_tokens_by_user").on(t.userId)],
);

/** Wrong passwords of the throttling window. */
export const loginFailures = sqliteTable(
  "login_failures",
  {
    id: id(),
    account: text().notNull(), // keyed hash of the name: a password typed into the wrong field must not stay readable
    address: text().notNull(), // of IPv6 the network
    at: integer().notNull(),
  },
  (t) => [index("login_failures_by_address").on(t.address, t.at), index("login_failures_by_age").on(t.at)],
);

/**
 * Who did what. Never a secret. Names are those of the moment, no references: what they name may be gone. `via` none is
 * somebody who is not signed in, command the command line on the machine itself.
 */
export const audit = sqliteTable(
  "audit",
  {
    id: id(),
    date: integer().notNull(),
    uname: words(),
    address: words(),
    via: text({ enum: ["login", "token", "command", "none"] }).notNull(),
    token: words(), // the API token's name
    operation: text().notNull(),
    subject: words(), // host, group, user ...
    subjectId: words(),
    subjectName: words(),
    details: text().notNull().default("{}"), // JSON
  },
  (t) => [
    index("audit_by_date").on(t.date),
    index("audit_by_user").on(t.uname, t.id),
    index("audit_by_operation").on(t.operation, t.id),
    index("audit_of_strangers").on(t.id).where(sql`${t.via} = 'none'`),
  ],
);

export const settings = sqliteTable("settings", { key: text().primaryKey(), value: text().notNull() });
