import { and, count, eq, gt, lt, min, sql } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { loginFailures } from "../../platform/storage/schema.ts";

export interface LoginFailures {
  count: number;
  /** Time of the oldest counted failure; null when there is none. */
  oldest: number | null;
}

function failures(db: Db, condition: ReturnType<typeof and>): LoginFailures {
  const row = db
    .select({ count: count(), oldest: min(loginFailures.at) })
    .from(loginFailures)
    .where(condition)
    .get();
  return row ?? { count: 0, oldest: null };
}

/** Failures of an address with any account, after a time in unix seconds. */
export function failuresOfAddress(db: Db, address: string, since: number): LoginFailures {
  return failures(db, and(eq(loginFailures.address, address), gt(loginFailures.at, since)));
}

/**
 * Failures of an account and address after a time, unix seconds.
 * @param account signature of the account's name
 */
export function failuresOfPair(db: Db, account: string, address: string, since: number): LoginFailures {
  return failures(
    db,
    and(eq(loginFailures.address, address), eq(loginFailures.account, account), gt(loginFailures.at, since)),
  );
}

/** Stores a failure. @param account signature of the account's name @param at unix seconds */
export function addFailure(db: Db, account: string, address: string, at: number): void {
  db.insert(loginFailures).values({ account, address, at }).run();
}

/**
 * Deletes the failures of an account from this address only.
 * @param account signature of the account's name
 */
export function forgetPair(db: Db, account: string, address: string): void {
  db.delete(loginFailures)
    .where(and(eq(loginFailures.account, account), eq(loginFailures.address, address)))
    .run();
}

/** Moves failures from the future, left by a clock that was set back, to the present. */
export function dateBack(db: Db, now: number): void {
  db.update(loginFailures).set({ at: now }).where(gt(loginFailures.at, now)).run();
}

/** Deletes failures from before a time, unix seconds. */
export function forgetBefore(db: Db, at: number): void {
  db.delete(loginFailures).where(lt(loginFailures.at, at)).run();
}

/** Deletes all but the newest `keep` failures. */
export function forgetOldest(db: Db, keep: number): void {
  const oldestKept = sql`(select id from login_failures order by id desc limit 1 offset ${keep})`;
  db.delete(loginFailures).where(sql`${loginFailures.id} <= ${oldestKept}`).run();
}
