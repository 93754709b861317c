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

/** Failures are counted over this many seconds. */
const WINDOW = 15 * 60;
const MAX_FAILURES_PER_PAIR = 5;
const MAX_FAILURES_PER_ADDRESS = 20;
/** Wrong codes of the second factor for an account, from wherever: only who knows its password can cause them. */
const MAX_WRONG_CODES = 20;
/** Wrong passwords and codes that sessions of an account give to confirm a change, from wherever. */
const MAX_WRONG_CONFIRMATIONS = 20;
/** Stands for the address where those are counted. */
const ANYWHERE = "*";
/** Failures that are stored: more of them, from ever new addresses, push out the oldest. */
export const MAX_FAILURES = 10_000;

export interface LoginAttempt {
  /** What asks for the password: a path for the audit log, as in login. */
  operation: string;
  /** Whose password is asked for. */
  account: string;
  isKnownAccount: boolean;
  /** Who gives one. */
  actor: Actor;
  /** The error for a wrong one. */
  refusal: () => ApiError;
  /** Whether a session of the account asks: then wrong ones count from wherever they come, in case it was stolen. */
  isSignedIn?: boolean;
}

/**
 * right       failures of this pair are forgotten
 * wrong       counts, and is answered with the attempt's refusal
 * wrong code  counts, here and for the account wherever it is tried
 * an error    neither: else leaving something out would make up for guesses
 */
export type Verdict = "right" | "wrong" | "wrong code" | ApiError;

/**
 * Slows the guessing of passwords. Failures count per (account, address) and per address, never per account alone:
 * otherwise anyone could lock the administrator out. They are stored, so that a restart forgives nothing. Must not be
 * called in a transaction that a refusal rolls back.
 */
export class LoginThrottle {
  readonly #sign: (account: string) => string;
  readonly #unstored = new UnstoredFailures({
    window: WINDOW,
    perPair: MAX_FAILURES_PER_PAIR,
    perAddress: MAX_FAILURES_PER_ADDRESS,
  });
  readonly #clock: Clock;
  readonly #held: ThrottledSources;

  /** @param monotonic milliseconds: a clock that is set makes nobody wait longer, and nothing forgotten */
  constructor(
    private readonly db: Db,
    box: SecretBox,
    clock: Clock,
    private readonly audit: Audit,
    private readonly storage: StorageHealth,
    monotonic: () => number,
  ) {
    this.#clock = monotonicClock(clock, monotonic);
    this.#held = new ThrottledSources(monotonic);
    // People type their password where their name belongs; what is stored of it must not be readable.
    this.#sign = box.signer("login account");
  }

  /**
   * Refuses a source that was refused for as long or as often that it is not worth a look. To be called before the body
   * of a login is read. @throws ApiError 429
   */
  admit(address: string): void {
    const wait = this.#held.wait(sourceOf(address));
    if (wait > 0) throw accountErrors.tooManyLogins(wait);
  }

  /**
   * Has a password checked, unless there were too many wrong ones.
   * @throws ApiError 429, or what the verdict says
   */
  check(attempt: LoginAttempt, judge: () => Verdict): void {
    let problem: ApiError | null;
    try {
      problem = this.#checkStored(attempt, judge);
    } catch (error) {
      if (!this.storage.failed(error)) throw error;
      problem = this.#checkUnstored(attempt, judge);
    }
    // What is thrown is thrown afterwards: the failure has to stay counted.
    if (problem) throw problem;
  }

  #checkStored(attempt: LoginAttempt, judge: () => Verdict): ApiError | null {
    const now = this.#clock.now();
    const account = this.#sign(attempt.account);
    const address = sourceOf(attempt.actor.address);
    return transaction(this.db, () => {
      dateBack(this.db, now);
      forgetBefore(this.db, now - WINDOW);
      const refusal = this.#refusal(attempt, account, address, now);
      if (refusal) return refusal;
      const verdict = judge();
      if (verdict instanceof ApiError) return verdict;
      if (verdict === "right") {
        forgetPair(this.db, account, address);
        return null;
      }
      addFailure(this.db, account, address, now);
      if (verdict === "wrong code") addFailure(this.db, account, ANYWHERE, now);
      if (attempt.isSignedIn) addFailure(this.db, this.#confirming(attempt), ANYWHERE, now);
      forgetOldest(this.db, MAX_FAILURES);
      this.#record(attempt, verdict, this.#wait(account, address, now) > 0);
      return verdict === "wrong" ? attempt.refusal() : accountErrors.wrongSecondFactor();
    });
  }

  /** The same while nothing can be stored. What would be in the audit log is missing there. */
  #checkUnstored(attempt: LoginAttempt, judge: () => Verdict): ApiError | null {
    const now = this.#clock.now();
    const account = this.#sign(attempt.account);
    const address = sourceOf(attempt.actor.address);
    const refusal = this.#refusal(attempt, account, address, now);
    if (refusal) return refusal;
    if (this.#unstored.isHeld(account, address, now)) return accountErrors.tooManyLogins(WINDOW);
    const verdict = judge();
    if (verdict instanceof ApiError) return verdict;
    if (verdict === "right") return null;
    this.#unstored.add({ account, address, at: now });
    return verdict === "wrong" ? attempt.refusal() : accountErrors.wrongSecondFactor();
  }

  /** Why no password may be looked at now, if there were too many wrong ones; the source is noted for `admit` then. */
  #refusal(attempt: LoginAttempt, account: string, address: string, now: number): ApiError | null {
    const wait = this.#wait(account, address, now) || this.#waitToConfirm(attempt, now);
    if (wait === 0) return null;
    this.#held.refused(address, this.#waitOfAddress(address, now));
    return accountErrors.tooManyLogins(wait);
  }

  /** Seconds until a code of the second factor may be tried again for this account; 0 when it may be now. */
  waitForCode(uname: string): number {
    const now = this.#clock.now();
    const wrong = failuresOfPair(this.db, this.#sign(uname), ANYWHERE, now - WINDOW);
    return this.#until(wrong, MAX_WRONG_CODES, now);
  }

  /** Seconds until a session of the account may confirm a change again. */
  #waitToConfirm(attempt: LoginAttempt, now: number): number {
    if (!attempt.isSignedIn) return 0;
    const wrong = failuresOfPair(this.db, this.#confirming(attempt), ANYWHERE, now - WINDOW);
    return this.#until(wrong, MAX_WRONG_CONFIRMATIONS, now);
  }

  /** Under what confirmations of an account are counted: apart from its logins, which they must not hold up. */
  #confirming({ account }: LoginAttempt): string {
    return this.#sign(`confirm ${account}`);
  }

  /** Seconds until the next try; 0 when there may be one now. */
  #wait(account: string, address: string, now: number): number {
    const ofPair = failuresOfPair(this.db, account, address, now - WINDOW);
    return this.#until(ofPair, MAX_FAILURES_PER_PAIR, now) || this.#waitOfAddress(address, now);
  }

  #waitOfAddress(address: string, now: number): number {
    return this.#until(failuresOfAddress(this.db, address, now - WINDOW), MAX_FAILURES_PER_ADDRESS, now);
  }

  #until({ count, oldest }: LoginFailures, limit: number, now: number): number {
    return count < limit ? 0 : (oldest ?? now) + WINDOW - now + 1;
  }

  /** Tries that are refused later are not recorded: they would be as many as somebody likes. */
  #record(
    { operation, account, isKnownAccount, actor }: LoginAttempt,
    verdict: "wrong" | "wrong code",
    isThrottled: boolean,
  ): void {
    const entry = isKnownAccount
      ? {
          subject: "user",
          subjectId: account,
          // Somebody knows the password: that is worth telling apart.
          ...(verdict === "wrong code" && { details: { reason: "second factor" } }),
        }
      : { details: { account: "unknown" } };
    this.audit.add(actor, { operation: `${operation}/failed`, ...entry });
    if (isThrottled) this.audit.add(actor, { operation: `${operation}/throttled`, ...entry });
  }
}
