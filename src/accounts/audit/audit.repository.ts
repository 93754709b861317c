import { and, count, desc, eq, gt, gte, lt, lte, or, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import {
  apiTokens,
  audit,
  channels,
  hostGroups,
  hosts,
  maintenanceWindows,
  rules,
  statusPages,
  users,
} from "../../platform/storage/schema.ts";

export type NewEntry = typeof audit.$inferInsert;

export interface AuditFilter {
  uname?: string | undefined;
  /** Selects an operation and everything below its path. */
  operation?: string | undefined;
  datefrom?: number | undefined;
  dateto?: number | undefined;
}

export function insertEntry(db: Db, row: NewEntry): number {
  return db.insert(audit).values(row).returning({ id: audit.id }).get().id;
}

export function updateDetails(db: Db, id: number, details: string): void {
  db.update(audit).set({ details }).where(eq(audit.id, id)).run();
}

/** Deletes the oldest entries of actors who were not signed in, all but the newest `keep`. */
export function deleteAnonymousEntries(db: Db, keep: number): void {
  const oldestKept = sql`(select id from audit where via = 'none' order by id desc limit 1 offset ${keep})`;
  db.delete(audit)
    .where(and(eq(audit.via, "none"), sql`${audit.id} <= ${oldestKept}`))
    .run();
}

/** Deletes at most `limit` entries from before a time. @returns how many */
export function deleteEntries(db: Db, before: number, limit: number): number {
  const old = db.select({ id: audit.id }).from(audit).where(lt(audit.date, before)).limit(limit);
  return db.delete(audit).where(sql`${audit.id} in ${old}`).returning({ id: audit.id }).all().length;
}

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

export function countEntries(db: Db, filter: AuditFilter): number {
  return db.select({ n: count() }).from(audit).where(matching(filter)).get()?.n ?? 0;
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

type NameLookup = (db: Db, id: string) => string | undefined;

/** Looks up the names of subjects by kind. Kinds without names are absent. */
const NAMES: Readonly<Record<string, NameLookup>> = {
  host: (db, id) =>
    db
      .select({ name: hosts.hostname })
      .from(hosts)
      .where(eq(hosts.id, Number(id)))
      .get()?.name,
  group: (db, id) =>
    db
      .select({ name: hostGroups.name })
      .from(hostGroups)
      .where(eq(hostGroups.id, Number(id)))
      .get()?.name,
  maintenance: (db, id) =>
    db
      .select({ name: maintenanceWindows.name })
      .from(maintenanceWindows)
      .where(eq(maintenanceWindows.id, Number(id)))
      .get()?.name,
  rule: (db, id) =>
    db
      .select({ name: rules.name })
      .from(rules)
      .where(eq(rules.id, Number(id)))
      .get()?.name,
  channel: (db, id) =>
    db
      .select({ name: channels.name })
      .from(channels)
      .where(eq(channels.id, Number(id)))
      .get()?.name,
  statuspage: (db, id) =>
    db
      .select({ name: statusPages.title })
      .from(statusPages)
      .where(eq(statusPages.id, Number(id)))
      .get()?.name,
  token: (db, id) =>
    db
      .select({ name: apiTokens.name })
      .from(apiTokens)
      .where(eq(apiTokens.id, Number(id)))
      .get()?.name,
  user: (db, id) => db.select({ name: users.fullname }).from(users).where(eq(users.uname, id)).get()?.name,
};

/** The name of a subject; "" when it has none or does not exist. */
export function subjectName(db: Db, kind: string, id: string): string {
  return NAMES[kind]?.(db, id) ?? "";
}
