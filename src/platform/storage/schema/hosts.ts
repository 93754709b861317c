/** What is monitored: hosts, their services, and the groups of both. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { count, flag, id, words } from "./columns.ts";

/** Service names, shared by every service and event that bears the same string (`nameid`, `servicenameid`). */
export const names = sqliteTable(
  "names",
  { id: id(), name: text().notNull().unique(), nameKey: words() }, // key: see sort-key.ts
  (t) => [index("names_by_key").on(t.nameKey, t.id)],
);

/** One row per agent id: what the agent said of itself, what the administrator set, and the state derived from both. */
export const hosts = sqliteTable(
  "hosts",
  {
    id: id(),
    agentId: text().notNull().unique(),
    createdAt: integer().notNull(),

    // Settings: set by the administrator, except that agentuser and agentpassword follow the agent until he does.
    hostname: text().notNull(),
    hostnameKey: words(), // by which it is sorted and searched for (sort-key.ts)
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
    unreadable: words(), // what could not be read of the last message, as JSON; "" when it was whole

    // State.
    status: integer().notNull().default(0), // 0 Active, 1 Inactive, 2 Ignored
    stopped: flag(), // Inactive by a graceful stop, or by hand: then until it is set Active by hand
    stopToldAt: integer(), // when the agent said it stops, by its own clock; null when an administrator stopped it
    heartbeat: integer().notNull().default(1), // 0 dead, 1 ok
    deadline: integer().notNull(), // without a message by then the host is overdue
    lastmodified: integer().notNull(), // receipt of the last message
    conflict: words(), // why actions are held back, "" when they are not
    led: integer().$type<0 | 1 | 2 | 3>().notNull().default(3),
    statusText: words(),
    cpu: real().notNull().default(-1),
    mem: real().notNull().default(-1),
    events: count(),
    servicesTotal: count(),
    servicesOk: count(),
  },
  (t) => [
    // Each message moves its host here, so that the numbers it brings cost nothing more. Lists by them read this alone.
    index("hosts_now").on(t.status, t.deadline, t.hostnameKey, t.cpu, t.mem, t.led),
    index("hosts_by_name").on(t.hostnameKey, t.id),
    index("hosts_by_led").on(t.led, t.hostnameKey),
    index("hosts_by_status_text").on(t.statusText, t.hostnameKey),
    index("hosts_by_events").on(t.events, t.hostnameKey),
    index("hosts_ignored").on(t.id).where(sql`${t.status} = 2`),
  ],
);

export type HostRow = typeof hosts.$inferSelect;

/** How many hosts are in each state. `countingHost` keeps it. WITHOUT ROWID, as `event_counts` is. */
export const hostCounts = sqliteTable(
  "host_counts",
  {
    status: integer().notNull(),
    stopped: integer({ mode: "boolean" }).notNull(),
    heartbeat: integer().notNull(),
    led: integer().notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.status, t.stopped, t.heartbeat, t.led] })],
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
    led: integer().$type<0 | 1 | 2 | 3>().notNull(),
    events: count(),
  },
  (t) => [
    uniqueIndex("services_by_host_and_name").on(t.hostId, t.nameId),
    index("services_by_name").on(t.nameId),
    index("services_present").on(t.hostId).where(sql`${t.vanishedAt} is null`),
    index("services_vanished").on(t.vanishedAt).where(sql`${t.vanishedAt} is not null`),
    index("services_vanished_by_host").on(t.hostId, t.vanishedAt).where(sql`${t.vanishedAt} is not null`),
  ],
);

export type ServiceRow = typeof services.$inferSelect;

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

export const hostGroups = sqliteTable(
  "host_groups",
  { id: id(), name: text().notNull().unique(), nameKey: words() }, // key: see sort-key.ts
  (t) => [index("host_groups_by_key").on(t.nameKey, t.id)],
);

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
