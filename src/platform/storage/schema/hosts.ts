/** Monitored hosts, their services, and the groups of both. */
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
import { count, flag, id, ownedBy, refersTo, textColumn } from "./columns.ts";

/** Service names, shared by all services and events with the same name (`nameid`, `servicenameid`). */
export const names = sqliteTable(
  "names",
  { id: id(), name: text().notNull().unique(), nameKey: textColumn() }, // nameKey: see sort-key.ts
  (t) => [index("names_by_key").on(t.nameKey, t.id)],
);

/** One row per agent id: what the agent reports, what administrators set, and the resulting state. */
export const hosts = sqliteTable(
  "hosts",
  {
    id: id(),
    agentId: text().notNull().unique(),
    createdAt: integer().notNull(),

    // Settings. Set by the administrator, but agentuser and agentpassword follow the agent until an
    // administrator changes them.
    hostname: text().notNull(),
    hostnameKey: textColumn(), // sort and search key (sort-key.ts)
    keepname: flag(),
    description: textColumn(),
    ipaddrout: textColumn(),
    portout: integer().notNull().default(-1),
    sslout: integer().notNull().default(-1),
    sslverify: flag(true),
    agentuser: textColumn(),
    agentpassword: textColumn(), // sealed by the secret box, "" when none
    credentialsSetByAdmin: flag(),
    skew: integer().notNull().default(3),
    actionqueue: flag(), // whether its agent may ask for actions

    // The key that its agent uses. There is no foreign key, so that deleting a key changes no row of a host.
    keyId: count(), // 0 or the id of a deleted key: it is bound to no key
    nextKeyId: integer(), // the key that may take the host over, 0 for the collector's first credential; null when none may
    keySecret: count(), // the number of the secret that its agent last used
    groupsIgnored: count(), // host groups that the agent names but that are not among those of its key

    // Reported by the agent.
    ipaddrin: textColumn(),
    portin: integer().notNull().default(-1),
    sslin: flag(),
    poll: integer().notNull(),
    incarnation: integer().notNull(), // by the agent's clock
    earlierIncarnation: integer(), // the previous one; returning to it indicates two agents with one id
    clockOffset: integer().notNull().default(0), // seconds to add to the agent's dates
    agentVersion: textColumn(),
    controlFile: textColumn(),
    startDelay: count(),
    agentUptime: count(),
    platformName: textColumn(),
    platformRelease: textColumn(),
    platformVersion: textColumn(),
    platformMachine: textColumn(),
    cpuCount: count(),
    memoryKb: count(),
    swapKb: count(),
    groupsLeftOut: count(), // host groups that the agent names but that were not created, as there are too many
    unreadable: textColumn(), // parts of the last message that could not be decoded, as JSON; "" when none

    // State.
    status: integer().notNull().default(0), // 0 Active, 1 Inactive, 2 Ignored
    stopped: flag(), // Inactive after a graceful stop, or by hand until an administrator sets it Active
    stopToldAt: integer(), // when the agent stopped, by its own clock; null when an administrator stopped it
    heartbeat: integer().notNull().default(1), // 0 dead, 1 ok
    deadline: integer().notNull(), // the host is overdue without a message by then
    lastmodified: integer().notNull(), // time of receipt of the last message
    conflict: textColumn(), // why actions are blocked, "" when they are not
    led: integer().$type<0 | 1 | 2 | 3>().notNull().default(3),
    statusText: textColumn(),
    cpu: real().notNull().default(-1),
    mem: real().notNull().default(-1),
    events: count(),
    importedUntil: count(), // date of the newest event that was imported from another server, 0 without any
    servicesTotal: count(),
    servicesOk: count(),
  },
  (t) => [
    // Every message moves the host's entry in this index anyway, so the numbers it covers cost nothing extra.
    // Lists sorted by them read only the index. PostgreSQL lacks it (drizzle/postgres/0001_hand_written.sql).
    index("hosts_now").on(t.status, t.deadline, t.hostnameKey, t.cpu, t.mem, t.led),
    index("hosts_by_name").on(t.hostnameKey, t.id),
    index("hosts_by_led").on(t.led, t.hostnameKey),
    index("hosts_by_key").on(t.keyId, t.hostnameKey).where(sql`${t.keyId} > 0`),
    index("hosts_by_next_key").on(t.nextKeyId).where(sql`${t.nextKeyId} is not null`),
    // Lists sorted by number of events or status text, which an event changes, read only this index. Its entries have the
    // order of the table, so an event changes one in place. PostgreSQL lacks it, too.
    index("hosts_in_lists").on(t.id, t.status, t.hostnameKey, t.led, t.events, t.statusText),
    index("hosts_ignored").on(t.id).where(sql`${t.status} = 2`),
  ],
);

export type HostRow = typeof hosts.$inferSelect;

/** Number of hosts in each state. Maintained by `countingHost`. WITHOUT ROWID, like `event_counts`. */
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

/** Services of a host. One that vanished keeps its row and id in case it returns. */
export const services = sqliteTable(
  "services",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    nameId: refersTo(() => names.id),
    createdAt: integer().notNull(),
    vanishedAt: integer(),
    type: integer().notNull(),
    monitorState: integer().notNull(),
    monitorMode: integer().notNull(),
    onReboot: integer().notNull(),
    status: integer().notNull(), // bit mask of event classes that failed or changed
    statusHint: integer().notNull(), // the bits of status that mean "changed"
    limitLevel: count(), // the worst limit that it exceeds: 0 none, 1 warning, 2 critical
    every: textColumn(),
    led: integer().$type<0 | 1 | 2 | 3>().notNull(),
    events: count(),
  },
  (t) => [
    uniqueIndex("services_by_name_and_host").on(t.nameId, t.hostId),
    index("services_of_host").on(t.hostId, t.vanishedAt),
    index("services_vanished").on(t.vanishedAt).where(sql`${t.vanishedAt} is not null`),
  ],
);

export type ServiceRow = typeof services.$inferSelect;

/** Service groups of an agent's control file. */
export const serviceGroups = sqliteTable(
  "service_groups",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    name: text().notNull(),
  },
  (t) => [uniqueIndex("service_groups_by_host_and_name").on(t.hostId, t.name)],
);

export const serviceGroupMembers = sqliteTable(
  "service_group_members",
  {
    groupId: ownedBy(() => serviceGroups.id),
    serviceId: ownedBy(() => services.id),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.serviceId] }),
    index("service_group_members_by_service").on(t.serviceId),
  ],
);

export const hostGroups = sqliteTable(
  "host_groups",
  {
    id: id(),
    name: text().notNull().unique(),
    nameKey: textColumn(), // see sort-key.ts
    namedByHand: flag(true), // named by an administrator; otherwise only by agents, and deleted when nothing needs it
    target: real(), // target uptime, percent; null for none
  },
  (t) => [
    index("host_groups_by_key").on(t.nameKey, t.id),
    index("host_groups_of_agents").on(t.id).where(sql`${t.namedByHand} = 0`),
  ],
);

/** Membership has two independent origins: an administrator, and the agent's own `hostgroups`. */
export const hostGroupMembers = sqliteTable(
  "host_group_members",
  {
    groupId: ownedBy(() => hostGroups.id),
    hostId: ownedBy(() => hosts.id),
    byHand: flag(),
    byAgent: flag(),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.hostId] }), index("host_group_members_by_host").on(t.hostId)],
);

/** Tags of hosts: name, or name and value. There is no list of tags beside it. */
export const hostTags = sqliteTable(
  "host_tags",
  {
    hostId: ownedBy(() => hosts.id),
    name: text().notNull(),
    value: textColumn(), // "" for a tag without a value
  },
  (t) => [
    primaryKey({ columns: [t.hostId, t.name, t.value] }),
    index("host_tags_by_name").on(t.name, t.value, t.hostId),
  ],
);

/**
 * Hosts whose deletion can be undone. None of their rows is in another table than these two, so nothing else reads them.
 */
export const deletedHosts = sqliteTable(
  "deleted_hosts",
  {
    hostId: integer().primaryKey(),
    agentId: text().notNull(),
    hostname: text().notNull(),
    agentpassword: textColumn(), // sealed, as of the host
    deletedBy: text().notNull(), // login name, kept when the account is deleted
    deletedAt: integer().notNull(),
    until: integer().notNull(), // when the deletion becomes final
    // Rows are moved in steps: away from their tables while the host is being deleted, and back while it is restored.
    state: text({ enum: ["deleting", "deleted", "restoring"] }).notNull(),
  },
  (t) => [
    index("deleted_hosts_by_end").on(t.until, t.hostId),
    index("deleted_hosts_moving").on(t.hostId).where(sql`${t.state} <> 'deleted'`),
  ],
);

/** The rows of deleted hosts: some of one table together, compressed (see monitoring/hosts/stored-rows.repository.ts). */
export const deletedHostRows = sqliteTable(
  "deleted_host_rows",
  {
    id: id(),
    hostId: ownedBy(() => deletedHosts.hostId),
    source: text().notNull(), // name of the table
    payload: blob({ mode: "buffer" }).notNull(),
  },
  (t) => [index("deleted_host_rows_by_host").on(t.hostId, t.source, t.id)],
);
