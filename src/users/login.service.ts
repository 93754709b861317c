import type { Clock } from "../clock.ts";
import type { Db } from "../database/open.ts";
import { errors } from "../http/errors.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import {
  addFailure,
  type Failures,
  failuresOfAddress,
  failuresOfPair,
  forgetBefore,
  forgetPair,
} from "./login-throttle.repository.ts";
import { isMd5Of, md5 } from "./password.ts";
import { findUser, type User } from "./users.repository.ts";

/** Failures are counted over this many seconds. */
const WINDOW = 15 * 60;
const MAX_FAILURES_PER_PAIR = 5;
const MAX_FAILURES_PER_ADDRESS = 20;
/** Longer account names are no accounts; they are cut before they are stored. */
const MAX_ACCOUNT = 255;

/**
 * Checks passwords, and slows guessing. Failures count per (account, address) and per address, never per account
 * alone: otherwise anyone could lock the administrator out.
 */
export class Login {
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 401 for wrong credentials, 429 after too many of them */
  check(uname: string, password: string, address: string): User {
    const now = this.clock.now();
    const account = uname.slice(0, MAX_ACCOUNT);
    this.#refuseGuessing(account, address, now);
    const user = findUser(this.db, uname);
    // A comparison happens for unknown users too, so that the time of the answer does not tell them apart.
    const matches = isMd5Of(md5(password), user ? this.box.open(user.passwordMd5) : md5(""));
    if (!user || !matches) {
      addFailure(this.db, account, address, now);
      throw errors.wrongCredentials();
    }
    forgetPair(this.db, account, address);
    return user;
  }

  #refuseGuessing(account: string, address: string, now: number): void {
    const since = now - WINDOW;
    forgetBefore(this.db, since);
    const refuse = (failures: Failures, limit: number) => {
      if (failures.count >= limit) throw errors.tooManyLogins((failures.oldest ?? now) + WINDOW - now + 1);
    };
    refuse(failuresOfPair(this.db, account, address, since), MAX_FAILURES_PER_PAIR);
    refuse(failuresOfAddress(this.db, address, since), MAX_FAILURES_PER_ADDRESS);
  }
}
