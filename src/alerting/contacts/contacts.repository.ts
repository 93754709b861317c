import { asc, eq } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { channels, contacts, users } from "../../platform/storage/schema.ts";

/** The channels chosen for users, by id. */
export function allContacts(db: Db): { userId: number; channelId: number }[] {
  return db.select().from(contacts).orderBy(asc(contacts.channelId), asc(contacts.userId)).all();
}

/** Names of the channels chosen for a user, ordered by id. */
export function channelNamesOf(db: Db, userId: number): string[] {
  const rows = db
    .select({ name: channels.name })
    .from(contacts)
    .innerJoin(channels, eq(channels.id, contacts.channelId))
    .where(eq(contacts.userId, userId))
    .orderBy(asc(channels.id))
    .all();
  return rows.map(({ name }) => name);
}

/** Name and kind of every channel, in the order of their ids. */
export function channelKinds(db: Db) {
  const { id, name, kind, enabled } = channels;
  return db.select({ id, name, kind, enabled }).from(channels).orderBy(asc(id)).all();
}
export type ChannelOfPerson = ReturnType<typeof channelKinds>[number];

/** Every user, with their mail address. */
export function allPeople(db: Db) {
  const { id, uname, fullname, email } = users;
  return db.select({ id, uname, fullname, email }).from(users).all();
}
export type PersonToNotify = ReturnType<typeof allPeople>[number];

/**
 * Replaces the channels through which a user is notified; none with an empty list. Call it in a transaction.
 */
export function setContacts(db: Db, userId: number, channelIds: readonly number[]): void {
  db.delete(contacts).where(eq(contacts.userId, userId)).run();
  const rows = channelIds.map((channelId) => ({ userId, channelId }));
  if (rows.length > 0) db.insert(contacts).values(rows).run();
}
