import { and, desc, eq, gt, gte, lt, lte, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { countRows } from "../../platform/storage/count.repository.ts";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  agentKeys,
  apiTokens,
  audit,
  channels,
  expectedHosts,
  hostGroups,
  hosts,
  limits,
  mailReports,
  maintenanceWindows,
  onCallSchedules,
  rules,
  savedFilters,
  savedViews,
  statusPages,
  users,
  viewTokens,
  weeklyRehearsals,
} from "../../platform/storage/schema.ts";

export type NewEntry = typeof audit.$inferInsert;

export interface AuditFilter {
  uname?: string | undefined;
  /** Selects an operation and everything below its path. */
  operation?: string | undefined;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

/** Stores an entry, whose details are JSON without secrets. @returns its id */
export function insertEntry(db: Db, row: NewEntry): number {
  return db.insert(audit).values(row).returning({ id: audit.id }).get().id;
}

/** Replaces the details of an entry, JSON; does nothing if retention has deleted it. */
export function updateDetails(db: Db, id: number, details: string): void {
  db.update(audit).set({ details }).where(eq(audit.id, id)).run();
}

/** Deletes the oldest entries of actors who were not signed in, all but the newest `keep`. */
export function deleteAnonymousEntries(db: Db, keep: number): void {
  const oldestKept = sql`(select id from audit where via = 'none' order by id desc limit 1 offset ${keep})`;
  db.delete(audit).where(sql`${audit.via} = 'none' and ${audit.id} <= ${oldestKept}`).run();
}

/** Deletes at most `limit` entries from before a time. @returns how many */
export const deleteEntries = deletionBefore(audit, lt(audit.date, sql.placeholder("before")));

function matching({ uname, operation, datefrom, dateto }: AuditFilter) {
  return and(
    uname === undefined ? undefined : eq(audit.uname, uname),
    operation === undefined
      ? undefined
      : // "0" is the character after "/", so all paths that begin with "operation/" sort in between.
        or(
          eq(audit.operation, operation),
          and(gt(audit.operation, `${operation}/`), lt(audit.operation, `${operation}0`)),
        ),
    datefrom === undefined ? undefined : gte(audit.date, datefrom),
    dateto === undefined ? undefined : lte(audit.date, dateto),
  );
}

/** Number of entries that match the filter. Both ends of its period are included, unix seconds. */
export function countEntries(db: Db, filter: AuditFilter): number {
  return countRows(db, audit, matching(filter));
}

/** Entries matching the filter, newest first. */
export function readEntries(db: Db, filter: AuditFilter, limit: number, offset: number) {
  return db
    .select()
    .from(audit)
    .where(matching(filter))
    .orderBy(desc(audit.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** The newest entries of a period, both ends included (index audit_by_date). */
export function entriesBetween(db: Db, from: number, to: number, limit: number) {
  return db
    .select()
    .from(audit)
    .where(and(gte(audit.date, from), lte(audit.date, to)))
    .orderBy(desc(audit.date), desc(audit.id))
    .limit(limit)
    .all();
}

/** The columns of a subject's id and name, by kind. Kinds without names are absent. */
const NAMES: Readonly<Record<string, readonly [id: SQLiteColumn, name: SQLiteColumn]>> = {
  host: [hosts.id, hosts.hostname],
  agentkey: [agentKeys.id, agentKeys.name],
  expected: [expectedHosts.id, expectedHosts.hostname],
  group: [hostGroups.id, hostGroups.name],
  maintenance: [maintenanceWindows.id, maintenanceWindows.name],
  limit: [limits.id, limits.name],
  rule: [rules.id, rules.name],
  oncall: [onCallSchedules.id, onCallSchedules.name],
  channel: [channels.id, channels.name],
  mailreport: [mailReports.id, mailReports.name],
  weeklyrehearsal: [weeklyRehearsals.id, weeklyRehearsals.name],
  statuspage: [statusPages.id, statusPages.title],
  filter: [savedFilters.id, savedFilters.name],
  view: [savedViews.id, savedViews.name],
  "view token": [viewTokens.id, viewTokens.name],
  token: [apiTokens.id, apiTokens.name],
  user: [users.uname, users.fullname],
};

/** The name of a subject; "" when it has none or does not exist. */
export function subjectName(db: Db, kind: string, id: string): string {
  const columns = NAMES[kind];
  // PostgreSQL refuses to compare a number with an empty text.
  if (!columns || id === "") return "";
  const [idColumn, name] = columns;
  const row = db.select({ name }).from(idColumn.table).where(eq(idColumn, id)).get();
  return String(row?.name ?? "");
}
