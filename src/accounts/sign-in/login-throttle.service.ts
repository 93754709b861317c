import { type Clock, monotonicClock } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { sourceOf } from "../../platform/net/client-address.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import type { Actor } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import { accountErrors } from "../users/users.errors.ts";
import {
  addFailure,
  dateBack,
  failuresOfAddress,
  failuresOfPair,
  forgetBefore,
  forgetOldest,
  forgetPair,
  type LoginFailures,
} from "./login-throttle.repository.ts";
import { ThrottledSources } from "./throttled-sources.ts";
import { UnstoredFailures } from "./unstored-failures.ts";

/** Failures within this many seconds count. */
const WINDOW = 15 * 60;
const MAX_FAILURES_PER_PAIR = 5;
const MAX_FAILURES_PER_ADDRESS = 20;
/** Wrong second-factor codes per account from all addresses: causing one requires the password. */
const MAX_WRONG_CODES = 20;
/** Replaces the address in counts over all addresses. */
const ANYWHERE = "*";
/** The most failures stored; failures from ever new addresses displace the oldest. */
export const MAX_FAILURES = 10_000;

/** An attempt to enter a password, with what is needed to throttle and to audit it. */
export interface LoginAttempt {
  /** Path of the operation for the audit log, as in login. */
  operation: string;
  /** Account whose password is checked. */
  account: string;
  isKnownAccount: boolean;
  /** Who entered the password. */
  actor: Actor;
  wrongPassword: () => ApiError;
  /** Whether a signed-in caller sent it to confirm a change, instead of signing in. */
  isConfirmation?: boolean;
}

/** What the failures of an attempt are counted by. */
interface Counter {
  account: string;
  address: string;
}

/**
 * right       clears the failures of this account and address
 * wrong       counts as a failure and throws the attempt's error
 * wrong code  counts for the account and address, and for the account everywhere
 * an error    changes nothing: otherwise an incomplete attempt would clear failures
 */
export type Verdict = "right" | "wrong" | "wrong code" | ApiError;

export interface LoginThrottleDependencies {
  db: Db;
  box: SecretBox;
  clock: Clock;
  audit: Audit;
  storage: StorageHealth;
  /** Milliseconds. Setting the system time neither extends waits nor clears failures. */
  monotonic: () => number;
}

/**
 * Throttles password guessing. Failed logins count per account and address and per address, never per account
 * alone: otherwise anyone could lock out the administrator. A signed-in caller who confirms a change is only
 * throttled by their own wrong confirmations for the same account. These count from all addresses, in case
 * the session was stolen, and as failed logins too. Failures are stored, so that a restart does not clear
 * them. Do not call it in a transaction that its error would roll back.
 */
export class LoginThrottle {
  readonly #sign: (account: string) => string;
  readonly #unstored = new UnstoredFailures({
    window: WINDOW,
    perPair: MAX_FAILURES_PER_PAIR,
    perAddress: MAX_FAILURES_PER_ADDRESS,
  });
  readonly #clock: Clock;
  readonly #throttled: ThrottledSources;

  constructor(private readonly dependencies: LoginThrottleDependencies) {
    const { box, clock, monotonic } = dependencies;
    this.#clock = monotonicClock(clock, monotonic);
    this.#throttled = new ThrottledSources(monotonic);
    // Users type their password into the name field by mistake, so only a signature of the name is stored.
    this.#sign = box.signer("login account");
  }

  /** Rejects logins of a blocked source. Call it before reading the body of a login. @throws ApiError 429 */
  admit(address: string): void {
    const wait = this.#throttled.wait(sourceOf(address));
    if (wait > 0) throw accountErrors.tooManyLogins(wait);
  }

  /** Checks a password, unless there were too many failures. @throws ApiError 429, or for the verdict */
  check(attempt: LoginAttempt, judge: () => Verdict): void {
    let problem: ApiError | null;
    try {
      problem = this.#checkStored(attempt, judge);
    } catch (error) {
      if (!this.dependencies.storage.failed(error)) throw error;
      problem = this.#checkUnstored(attempt, judge);
    }
    // Thrown after the transaction, so that the failure stays counted.
    if (problem) throw problem;
  }

  #checkStored(attempt: LoginAttempt, judge: () => Verdict): ApiError | null {
    const now = this.#clock.now();
    const { db } = this.dependencies;
    const login = this.#loginCounter(attempt);
    const counter = this.#counter(attempt);
    return transaction(db, () => {
      dateBack(db, now);
      forgetBefore(db, now - WINDOW);
      const error = this.#throttleError(attempt, now);
      if (error) return error;
      const verdict = judge();
      if (verdict instanceof ApiError) return verdict;
      if (verdict === "right") {
        for (const { account, address } of [login, counter]) forgetPair(db, account, address);
        return null;
      }
      addFailure(db, login.account, login.address, now);
      if (verdict === "wrong code") addFailure(db, login.account, ANYWHERE, now);
      if (attempt.isConfirmation) addFailure(db, counter.account, counter.address, now);
      forgetOldest(db, MAX_FAILURES);
      this.#record(attempt, verdict, this.#wait(counter, now) > 0);
      return verdict === "wrong" ? attempt.wrongPassword() : accountErrors.wrongSecondFactor();
    });
  }

  /** The same check during a storage outage. It adds no audit entry. */
  #checkUnstored(attempt: LoginAttempt, judge: () => Verdict): ApiError | null {
    const now = this.#clock.now();
    const counter = this.#counter(attempt);
    const error = this.#throttleError(attempt, now);
    if (error) return error;
    if (this.#unstored.isThrottled(counter.account, counter.address, now))
      return accountErrors.tooManyLogins(WINDOW);
    const verdict = judge();
    if (verdict instanceof ApiError) return verdict;
    if (verdict === "right") return null;
    this.#unstored.add({ ...counter, at: now });
    return verdict === "wrong" ? attempt.wrongPassword() : accountErrors.wrongSecondFactor();
  }

  /** The error when there were too many failures, otherwise null. It also records the source for `admit`. */
  #throttleError(attempt: LoginAttempt, now: number): ApiError | null {
    const counter = this.#counter(attempt);
    const wait = this.#wait(counter, now);
    if (wait === 0) return null;
    if (!attempt.isConfirmation)
      this.#throttled.rejected(counter.address, this.#waitOfAddress(counter.address, now));
    return accountErrors.tooManyLogins(wait);
  }

  /** Seconds until a second-factor code may be tried for this account; 0 when it may be now. */
  waitForCode(uname: string): number {
    const now = this.#clock.now();
    const wrong = failuresOfPair(this.dependencies.db, this.#sign(uname), ANYWHERE, now - WINDOW);
    return this.#until(wrong, MAX_WRONG_CODES, now);
  }

  #loginCounter({ account, actor }: LoginAttempt): Counter {
    return { account: this.#sign(account), address: sourceOf(actor.address) };
  }

  /** What can throttle an attempt. Confirmations have a key of their own in place of the address. */
  #counter(attempt: LoginAttempt): Counter {
    if (!attempt.isConfirmation) return this.#loginCounter(attempt);
    const { account, actor } = attempt;
    const key = this.#sign(JSON.stringify(["confirm", actor.uname, account]));
    return { account: key, address: key };
  }

  /** Seconds until the next attempt; 0 when it may be made now. */
  #wait({ account, address }: Counter, now: number): number {
    const ofPair = failuresOfPair(this.dependencies.db, account, address, now - WINDOW);
    return this.#until(ofPair, MAX_FAILURES_PER_PAIR, now) || this.#waitOfAddress(address, now);
  }

  #waitOfAddress(address: string, now: number): number {
    return this.#until(
      failuresOfAddress(this.dependencies.db, address, now - WINDOW),
      MAX_FAILURES_PER_ADDRESS,
      now,
    );
  }

  #until({ count, oldest }: LoginFailures, limit: number, now: number): number {
    return count < limit ? 0 : (oldest ?? now) + WINDOW - now;
  }

  /** Adds audit entries for a failure. Throttled attempts are not recorded: their number is unbounded. */
  #record(
    { operation, account, isKnownAccount, actor }: LoginAttempt,
    verdict: "wrong" | "wrong code",
    isThrottled: boolean,
  ): void {
    const entry = isKnownAccount
      ? {
          subject: "user",
          subjectId: account,
          // Noted because it means that someone knows the password.
          ...(verdict === "wrong code" && { details: { reason: "second factor" } }),
        }
      : { details: { account: "unknown" } };
    this.dependencies.audit.add(actor, { operation: `${operation}/failed`, ...entry });
    if (isThrottled) this.dependencies.audit.add(actor, { operation: `${operation}/throttled`, ...entry });
  }
}
