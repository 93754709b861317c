import { and, asc, eq, inArray, isNotNull, ne, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { existingIds } from "../../platform/storage/existing.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  channels,
  contacts,
  deliveries,
  mailReports,
  ruleChannels,
  rules,
  users,
} from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";
import { PROGRAM } from "./program.ts";

export type ChannelRow = typeof channels.$inferSelect;
export type NewChannel = typeof channels.$inferInsert;

export const channelRows = new NamedRows<ChannelRow>(channels);

// Read for every message, when it is created and when it is sent.
const channelStatement = prepareOnce((db) =>
  db
    .select()
    .from(channels)
    .where(eq(channels.id, sql.placeholder("id")))
    .prepare(),
);

/** The channel of this id, enabled or not, with sealed secrets; undefined if there is none. */
export function findChannel(db: Db, id: number): ChannelRow | undefined {
  return channelStatement(db).get({ id });
}

/** The channel of this name, compared with case, with sealed secrets; undefined if there is none. */
export function findChannelByName(db: Db, name: string): ChannelRow | undefined {
  return db.select().from(channels).where(eq(channels.name, name)).get();
}

/** The ids among these of channels that a caller with this scope may use. */
export function existingChannels(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  return existingIds(db, channels, ids, scope === "all" ? undefined : ne(channels.kind, PROGRAM));
}

/** Sets columns of a channel; does nothing if it was deleted. No revision is recorded. */
export function updateChannel(db: Db, id: number, values: Partial<NewChannel>): void {
  db.update(channels).set(values).where(eq(channels.id, id)).run();
}

/** Separates some messages from the channel that they were for. @returns how many */
export function detachDeliveries(db: Db, channelId: number, limit: number): number {
  const { id } = deliveries;
  const some = db
    .select({ id })
    .from(deliveries)
    .where(eq(deliveries.channelId, channelId))
    .orderBy(asc(id))
    .limit(limit);
  return db.update(deliveries).set({ channelId: null }).where(inArray(id, some)).returning({ id }).all()
    .length;
}

/** The outcome of the last attempt to send on a channel. */
export type ChannelResult = Pick<
  ChannelRow,
  "failures" | "heldUntil" | "lastAt" | "lastOutcome" | "lastAnswer"
>;

const resultStatement = prepareOnce((db) => {
  const parameter = (name: keyof ChannelResult) => sql`${sql.placeholder(name)}`;
  return db
    .update(channels)
    .set({
      failures: parameter("failures"),
      heldUntil: parameter("heldUntil"),
      lastAt: parameter("lastAt"),
      lastOutcome: parameter("lastOutcome"),
      lastAnswer: parameter("lastAnswer"),
    })
    .where(eq(channels.id, sql.placeholder("id")))
    .prepare();
});

/** Stores the outcome of the last attempt to send on a channel; does nothing if it was deleted. */
export function putResult(db: Db, id: number, result: ChannelResult): void {
  resultStatement(db).run({ ...result, id });
}

/** Ends the back-off of every channel, so that each is tried again at once. */
export function endHolds(db: Db): void {
  db.update(channels).set({ heldUntil: null }).where(isNotNull(channels.heldUntil)).run();
}

/**
 * Makes the messages due that wait for a channel, or for channels of a kind. Its settings have changed, so earlier
 * failures say nothing about the next attempt.
 */
export function makeDue(db: Db, of: { id: number } | { kind: string }): void {
  const { id, kind } = channels;
  const wanted = db
    .select({ id })
    .from(channels)
    .where("id" in of ? eq(id, of.id) : eq(kind, of.kind));
  const { channelId, nextAt, createdAt } = deliveries;
  db.update(deliveries)
    .set({ nextAt: sql`${createdAt}` })
    .where(and(inArray(channelId, wanted), isNotNull(nextAt)))
    .run();
}

/**
 * Sends the messages that wait for a recipient of a channel to another address, as it was corrected. Reports and people have
 * addresses of their own.
 */
export function readdress(db: Db, id: number, { from, to }: { from: string; to: string }): void {
  const { channelId, recipient, person, kind, nextAt } = deliveries;
  const ofRecipient = and(eq(channelId, id), eq(recipient, from), eq(person, ""), ne(kind, "report"));
  db.update(deliveries)
    .set({ recipient: to })
    .where(and(ofRecipient, isNotNull(nextAt)))
    .run();
}

/** Names of the reports that are sent through a channel. */
export function reportsOfChannel(db: Db, channelId: number): string[] {
  const { name } = mailReports;
  const rows = db.select({ name }).from(mailReports).where(eq(mailReports.channelId, channelId));
  return rows
    .orderBy(asc(mailReports.id))
    .all()
    .map((row) => row.name);
}

export type RuleOfChannel = ReturnType<typeof rulesOfChannels>[number];

/** Pairs of a rule and one of these channels that it uses, each once, in rule order. */
export function rulesOfChannels(db: Db, channelIds: readonly number[]) {
  return db
    .selectDistinct({
      channelId: ruleChannels.channelId,
      ruleId: rules.id,
      name: rules.name,
      position: rules.position,
    })
    .from(ruleChannels)
    .innerJoin(rules, eq(rules.id, ruleChannels.ruleId))
    .where(inArray(ruleChannels.channelId, listOf(channelIds)))
    .orderBy(asc(rules.position), asc(rules.id))
    .all();
}

/** The login names of users who are notified through a channel. */
export function usersOfChannel(db: Db, channelId: number): string[] {
  const rows = db
    .select({ uname: users.uname })
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.userId))
    .where(eq(contacts.channelId, channelId))
    .orderBy(asc(users.uname))
    .all();
  return rows.map(({ uname }) => uname);
}
