import { asc, eq, isNotNull, sql } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  channels,
  contacts,
  mailReports,
  ruleChannels,
  rules,
  users,
} from "../../platform/storage/schema.ts";

export type ChannelRow = typeof channels.$inferSelect;
export type NewChannel = typeof channels.$inferInsert;

export function allChannels(db: Db): ChannelRow[] {
  const rows = db.select().from(channels).orderBy(asc(channels.id)).all();
  return inNameOrder(rows, ({ name }) => name);
}

// Read for every message, when it is made and when it is sent.
const channelStatement = prepareOnce((db) =>
  db
    .select()
    .from(channels)
    .where(eq(channels.id, sql.placeholder("id")))
    .prepare(),
);

export function findChannel(db: Db, id: number): ChannelRow | undefined {
  return channelStatement(db).get({ id });
}

export function findChannelByName(db: Db, name: string): ChannelRow | undefined {
  return db.select().from(channels).where(eq(channels.name, name)).get();
}

/** @returns the id of the new channel */
export function insertChannel(db: Db, row: NewChannel): number {
  return db.insert(channels).values(row).returning({ id: channels.id }).get().id;
}

export function updateChannel(db: Db, id: number, values: Partial<NewChannel>): void {
  db.update(channels).set(values).where(eq(channels.id, id)).run();
}

/** What became of the last attempt to send on a channel. */
export type ChannelResult = Pick<
  ChannelRow,
  "failures" | "heldUntil" | "lastAt" | "lastOutcome" | "lastAnswer"
>;

const resultStatement = prepareOnce((db) => {
  const given = (name: keyof ChannelResult) => sql`${sql.placeholder(name)}`;
  return db
    .update(channels)
    .set({
      failures: given("failures"),
      heldUntil: given("heldUntil"),
      lastAt: given("lastAt"),
      lastOutcome: given("lastOutcome"),
      lastAnswer: given("lastAnswer"),
    })
    .where(eq(channels.id, sql.placeholder("id")))
    .prepare();
});

export function putResult(db: Db, id: number, result: ChannelResult): void {
  resultStatement(db).run({ ...result, id });
}

/** Ends the back-off of every channel, so that each is tried again at once. */
export function endHolds(db: Db): void {
  db.update(channels).set({ heldUntil: null }).where(isNotNull(channels.heldUntil)).run();
}

/** The caller makes sure that no rule and no report uses the channel. */
export function deleteChannel(db: Db, id: number): void {
  db.delete(channels).where(eq(channels.id, id)).run();
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

/** Pairs of a rule and a channel that it uses, each once, in rule order. */
export function rulesOfChannels(db: Db) {
  return db
    .selectDistinct({
      channelId: ruleChannels.channelId,
      ruleId: rules.id,
      name: rules.name,
      position: rules.position,
    })
    .from(ruleChannels)
    .innerJoin(rules, eq(rules.id, ruleChannels.ruleId))
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
