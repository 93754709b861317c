/** What health checks read from the database. All but `agentFacts` read a bounded number of rows. */
import { and, asc, count, desc, eq, gt, gte, isNotNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { overdueExpectedHosts } from "../../monitoring/expected/expected.repository.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { channels, databaseSizes, deliveries, hosts } from "../../platform/storage/schema.ts";
import { isTrue } from "../../platform/storage/words.ts";
import type { AgentFacts, FailingChannel } from "./facts.ts";

/** The most versions of agents that are told apart. */
const MAX_VERSIONS = 50;
/** Hosts with wrong clocks that are named, and channels that fail. */
const NAMED_HOSTS = 10;
const MAX_CHANNELS = 50;

/**
 * Reads every host, and those that are expected. It runs on a query worker.
 * @param expectedBefore since when an expected host is overdue, unix seconds; null: never
 */
export function agentFacts(db: Db, expectedBefore: number | null): AgentFacts {
  const isWatched = ne(hosts.status, HOST_STATUS.ignored);
  const isWrong = and(isWatched, ne(hosts.clockOffset, 0));
  const n = count();
  const version = sql<string>`coalesce(${hosts.agentVersion}, '')`;
  const versions = db
    .select({ version, hosts: n })
    .from(hosts)
    .where(isWatched)
    .groupBy(version)
    .orderBy(desc(n), asc(version))
    .limit(MAX_VERSIONS)
    .all();
  const countOf = (condition: SQL | undefined) => db.select({ n }).from(hosts).where(condition).get()?.n ?? 0;
  const worst = db
    .select({ id: hosts.id, name: hosts.hostname, offset: hosts.clockOffset })
    .from(hosts)
    .where(isWrong)
    .orderBy(sql`abs(${hosts.clockOffset}) desc`, asc(hosts.id))
    .limit(NAMED_HOSTS)
    .all();
  return {
    total: countOf(isWatched),
    versions,
    clocks: { wrong: countOf(isWrong), behind: countOf(and(isWrong, gt(hosts.clockOffset, 0))), worst },
    overdue:
      expectedBefore === null
        ? { count: 0, names: [] }
        : overdueExpectedHosts(db, expectedBefore, NAMED_HOSTS),
  };
}

/** The enabled channels whose last attempt failed, those that fail longest first. */
export function failingChannels(db: Db): FailingChannel[] {
  return db
    .select({ name: channels.name, failures: channels.failures, answer: channels.lastAnswer })
    .from(channels)
    .where(and(gt(channels.failures, 0), sql`${channels.enabled} = ${isTrue}`))
    .orderBy(desc(channels.failures), asc(channels.id))
    .limit(MAX_CHANNELS)
    .all();
}

/** The messages that wait to be sent, of which there are at most 10,000, and when the oldest was created. */
export function waitingDeliveries(db: Db): { waiting: number; oldest: number | null } {
  const oldest = sql<number | null>`min(${deliveries.createdAt})`;
  const row = db
    .select({ waiting: count(), oldest })
    .from(deliveries)
    .where(isNotNull(deliveries.nextAt))
    .get();
  return row ?? { waiting: 0, oldest: null };
}

/**
 * Stores the first size of the database that was measured on a day.
 * @param keptFrom sizes of earlier days are deleted
 */
export function storeSize(db: Db, row: typeof databaseSizes.$inferInsert, keptFrom: number): void {
  db.insert(databaseSizes).values(row).onConflictDoNothing().run();
  db.delete(databaseSizes).where(lt(databaseSizes.day, keptFrom)).run();
}

/** The size of the database on the first day that is known, from a day on; undefined if none is. */
export function firstSize(db: Db, from = 0) {
  return db
    .select()
    .from(databaseSizes)
    .where(gte(databaseSizes.day, from))
    .orderBy(asc(databaseSizes.day))
    .limit(1)
    .get();
}

/** Whether the size of a day is stored. */
export function hasSize(db: Db, day: number): boolean {
  return hasRow(db, databaseSizes, eq(databaseSizes.day, day));
}
