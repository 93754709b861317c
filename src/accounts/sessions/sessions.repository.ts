import { and, desc, eq, gte, inArray, lt, ne, or } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { callerColumns, sessionAttributes, sessions, users } from "../../platform/storage/schema.ts";

export type NewSession = typeof sessions.$inferInsert;

export function findSession(db: Db, idHash: string) {
  return db
    .select({ session: sessions, user: callerColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.idHash, idHash))
    .get();
}

/** The user of a session that is not stored, or undefined. */
export function findSessionUser(db: Db, userId: number) {
  return db
    .select({ ...callerColumns, passwordMd5: users.passwordMd5 })
    .from(users)
    .where(eq(users.id, userId))
    .get();
}

export function putSession(db: Db, row: NewSession): void {
  db.delete(sessions).where(eq(sessions.idHash, row.idHash)).run();
  db.insert(sessions).values(row).run();
}

export function touchSession(db: Db, idHash: string, usedAt: number): void {
  db.update(sessions).set({ usedAt }).where(eq(sessions.idHash, idHash)).run();
}

export function deleteSession(db: Db, idHash: string): void {
  db.delete(sessions).where(eq(sessions.idHash, idHash)).run();
}

/** Deletes the sessions of a user, except the one with the hash `except`. */
export function deleteSessionsOfUser(db: Db, userId: number, except = ""): void {
  db.delete(sessions)
    .where(and(eq(sessions.userId, userId), ne(sessions.idHash, except)))
    .run();
}

export function deleteAllSessions(db: Db): void {
  db.delete(sessions).run();
}

/** The unexpired sessions of a user, last used first. */
export function sessionsOfUser(db: Db, userId: number, usedSince: number, createdSince: number) {
  return db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        gte(sessions.usedAt, usedSince),
        gte(sessions.createdAt, createdSince),
      ),
    )
    .orderBy(desc(sessions.usedAt), desc(sessions.createdAt), sessions.idHash)
    .all();
}

export function deleteExpiredSessions(db: Db, usedBefore: number, createdBefore: number): void {
  db.delete(sessions)
    .where(or(lt(sessions.usedAt, usedBefore), lt(sessions.createdAt, createdBefore)))
    .run();
}

/** Attributes of a session: those with the given keys, or all. */
export function readAttributes(db: Db, idHash: string, keys?: string[]): { key: string; value: string }[] {
  const own = eq(sessionAttributes.sessionIdHash, idHash);
  return db
    .select({ key: sessionAttributes.key, value: sessionAttributes.value })
    .from(sessionAttributes)
    .where(keys ? and(own, inArray(sessionAttributes.key, keys)) : own)
    .orderBy(sessionAttributes.key)
    .all();
}

export function putAttribute(db: Db, idHash: string, key: string, value: string): void {
  db.insert(sessionAttributes)
    .values({ sessionIdHash: idHash, key, value })
    .onConflictDoUpdate({ target: [sessionAttributes.sessionIdHash, sessionAttributes.key], set: { value } })
    .run();
}

/** Deletes the attributes with the given keys, or all, but never the one named `keep`. */
export function deleteAttributes(db: Db, idHash: string, keep: string, keys?: string[]): void {
  const own = and(eq(sessionAttributes.sessionIdHash, idHash), ne(sessionAttributes.key, keep));
  db.delete(sessionAttributes)
    .where(keys ? and(own, inArray(sessionAttributes.key, keys)) : own)
    .run();
}
