import { and, asc, desc, eq, gte, inArray, lt, ne, sql } from "drizzle-orm";
import { LAST_USE_INTERVAL } from "../../platform/last-use.ts";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { callerColumns, sessionAttributes, sessions, users } from "../../platform/storage/schema.ts";

export type NewSession = typeof sessions.$inferInsert;

/** How much later than is stored a session may have been used, seconds. */
export const USED_LATER = LAST_USE_INTERVAL - 1;

const LAST_USED_FIRST = [desc(sessions.usedAt), desc(sessions.createdAt), asc(sessions.idHash)];

/** Prepared, as both run for every request of a signed-in user. */
const statements = prepareOnce((db) => ({
  session: db
    .select({ session: sessions, user: callerColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.idHash, sql.placeholder("idHash")))
    .prepare(),
  attribute: db
    .select({ value: sessionAttributes.value })
    .from(sessionAttributes)
    .where(
      and(
        eq(sessionAttributes.sessionIdHash, sql.placeholder("idHash")),
        eq(sessionAttributes.key, sql.placeholder("key")),
      ),
    )
    .prepare(),
}));

/** The session with this hash and its user, or undefined. Whether it has expired is not checked. */
export function findSession(db: Db, idHash: string) {
  return statements(db).session.get({ idHash });
}

/** An attribute of a session, or undefined. */
export function readAttribute(db: Db, idHash: string, key: string): string | undefined {
  return statements(db).attribute.get({ idHash, key })?.value;
}

/** The user of a session that is not stored, and what signs them in; or undefined. */
export function findSessionUser(db: Db, userId: number) {
  const { passwordMd5, totpSecret, totpEnabled } = users;
  return db
    .select({ user: callerColumns, secrets: { passwordMd5, totpSecret, totpEnabled } })
    .from(users)
    .where(eq(users.id, userId))
    .get();
}

/** Stores a session, and deletes the user's least recently used ones. @param limit sessions to keep per user */
export function putSession(db: Db, row: NewSession, limit: number): void {
  db.delete(sessions).where(eq(sessions.idHash, row.idHash)).run();
  const otherSessions = db
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(eq(sessions.userId, row.userId))
    .orderBy(...LAST_USED_FIRST)
    .all();
  for (const { idHash } of otherSessions.slice(limit - 1)) deleteSession(db, idHash);
  db.insert(sessions).values(row).run();
}

/** Sets when a session was last used, unix seconds; does nothing if it has ended. */
export function touchSession(db: Db, idHash: string, usedAt: number): void {
  db.update(sessions).set({ usedAt }).where(eq(sessions.idHash, idHash)).run();
}

/** Deletes a session and its attributes; does nothing if it has ended. */
export function deleteSession(db: Db, idHash: string): void {
  db.delete(sessions).where(eq(sessions.idHash, idHash)).run();
}

/** Deletes the sessions of a user, except the one with the hash `except`. */
export function deleteSessionsOfUser(db: Db, userId: number, except = ""): void {
  db.delete(sessions)
    .where(and(eq(sessions.userId, userId), ne(sessions.idHash, except)))
    .run();
}

/** Deletes the sessions of all users, with their attributes: everyone has to sign in again. */
export function deleteAllSessions(db: Db): void {
  db.delete(sessions).run();
}

/** The unexpired sessions of a user, last used first: those that may have been used since a time, unix seconds. */
export function sessionsOfUser(db: Db, userId: number, usedSince: number, createdSince: number) {
  return db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        gte(sessions.usedAt, usedSince - USED_LATER),
        gte(sessions.createdAt, createdSince),
      ),
    )
    .orderBy(...LAST_USED_FIRST)
    .all();
}

const deleteBefore = deletionBefore(sessions, lt(sessions.usedAt, sql.placeholder("before")));

/** Deletes up to `limit` sessions that were certainly last used before a time, unix seconds. @returns how many */
export function deleteUnusedSessions(db: Db, before: number, limit: number): number {
  return deleteBefore(db, before - USED_LATER, limit);
}

/** Attributes of a session: those with the given keys, or all. */
export function readAttributes(db: Db, idHash: string, keys?: string[]): { key: string; value: string }[] {
  const ofSession = eq(sessionAttributes.sessionIdHash, idHash);
  return db
    .select({ key: sessionAttributes.key, value: sessionAttributes.value })
    .from(sessionAttributes)
    .where(keys ? and(ofSession, inArray(sessionAttributes.key, keys)) : ofSession)
    .orderBy(sessionAttributes.key)
    .all();
}

/** Sets an attribute of a stored session. Limits are not checked. @throws if the session has no row */
export function putAttribute(db: Db, idHash: string, key: string, value: string): void {
  db.insert(sessionAttributes)
    .values({ sessionIdHash: idHash, key, value })
    .onConflictDoUpdate({ target: [sessionAttributes.sessionIdHash, sessionAttributes.key], set: { value } })
    .run();
}

/** Deletes the attributes with the given keys, or all, but never the one named `keep`. */
export function deleteAttributes(db: Db, idHash: string, keep: string, keys?: string[]): void {
  const ofSession = and(eq(sessionAttributes.sessionIdHash, idHash), ne(sessionAttributes.key, keep));
  db.delete(sessionAttributes)
    .where(keys ? and(ofSession, inArray(sessionAttributes.key, keys)) : ofSession)
    .run();
}
