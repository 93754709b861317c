import { and, asc, eq, inArray, ne, sql } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { recordChange, recordRevision } from "../../platform/storage/revisions.repository.ts";
import { onCallOverrides, users } from "../../platform/storage/schema.ts";

export type User = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
/** Undefined values are left unchanged. */
export type UserChanges = { [K in keyof NewUser]?: NewUser[K] | undefined };

/**
 * Whether sign-in requires a code. It does not if the secret was lost with its key, since no code could be verified.
 */
export function hasSecondFactor({ totpEnabled, totpSecret }: User): boolean {
  return totpEnabled && totpSecret !== "";
}

/** All users, sorted by name. */
export function allUsers(db: Db): User[] {
  return inNameOrder(db.select().from(users).orderBy(asc(users.id)).all(), ({ uname }) => uname);
}

/** The user with exactly this login name; undefined if there is none. */
export function findUser(db: Db, uname: string): User | undefined {
  return db.select().from(users).where(eq(users.uname, uname)).get();
}

/** The login names among these that exist. */
export function existingUsers(db: Db, unames: readonly string[]): Set<string> {
  const rows = db
    .select({ uname: users.uname })
    .from(users)
    .where(inArray(users.uname, [...unames]));
  return new Set(rows.all().map(({ uname }) => uname));
}

/** The user with this subject at the OpenID provider. */
export function findUserOfSubject(db: Db, subject: string): User | undefined {
  return db.select().from(users).where(eq(users.subject, subject)).get();
}

/** Whether the login name is in use, ignoring case. */
export function isNameTaken(db: Db, uname: string): boolean {
  return hasRow(db, users, sql`lower(${users.uname}) = lower(${uname})`);
}

/** The ids of the users of these login names, by login name. */
export function userIdsOf(db: Db, unames: readonly string[]): Map<string, number> {
  if (unames.length === 0) return new Map();
  const rows = db
    .select({ id: users.id, uname: users.uname })
    .from(users)
    .where(inArray(users.uname, [...new Set(unames)]))
    .all();
  return new Map(rows.map(({ id, uname }) => [uname, id]));
}

/** Number of users of every origin, with or without a password. */
export function countUsers(db: Db): number {
  return countRows(db, users);
}

/**
 * Number of administrators with a local password, who need no OpenID provider or proxy to sign in.
 * @param limit where counting ends
 */
export function countLocalAdmins(db: Db, limit: number): number {
  const locals = and(eq(users.admin, true), eq(users.origin, "local"), ne(users.passwordMd5, ""));
  return db.select({ id: users.id }).from(users).where(locals).limit(limit).all().length;
}

/**
 * Stores a user, whose password must be sealed already.
 * @returns its id
 * @throws if the login name is taken
 */
export function insertUser(db: Db, row: NewUser): number {
  return db.insert(users).values(row).returning({ id: users.id }).get().id;
}

/** Changes a user. The full name can only be changed by `changeUser`, since screens of the past show it. */
export function updateUser(db: Db, id: number, changes: UserChanges & { fullname?: never }): void {
  db.update(users).set(changes).where(eq(users.id, id)).run();
}

/** The revision of a user. @param until unix seconds */
function ofUser(id: number, until: number) {
  return { kind: "users", hostId: null, objectId: id, until } as const;
}

/** Changes a user, and records a change of the full name. @param at unix seconds */
export function changeUser(db: Db, { id, fullname }: User, changes: UserChanges, at: number): void {
  if (changes.fullname !== undefined) recordChange(db, ofUser(id, at), { fullname }, changes);
  db.update(users).set(changes).where(eq(users.id, id)).run();
}

/**
 * Deletes a user with their sessions and API tokens. Screens of the past still show their name, and when they were on
 * call.
 * @param at unix seconds
 */
export function deleteUser(db: Db, { id, uname, fullname }: User, at: number): void {
  for (const override of db.delete(onCallOverrides).where(eq(onCallOverrides.userId, id)).returning().all())
    recordRevision(db, {
      ...{ kind: "on_call_overrides", hostId: null, objectId: override.id, until: at },
      content: override,
    });
  recordRevision(db, { ...ofUser(id, at), content: { uname, fullname } });
  db.delete(users).where(eq(users.id, id)).run();
}
