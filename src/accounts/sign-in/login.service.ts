import type { Account } from "../../platform/http/context.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { type Actor, anonymousActor, signedInActor } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import { deleteSession } from "../sessions/sessions.repository.ts";
import { isMd5Of, md5 } from "../users/password.ts";
import { accountErrors } from "../users/users.errors.ts";
import { findUser, hasSecondFactor, type User } from "../users/users.repository.ts";
import { existingUser } from "../users/users.service.ts";
import type { LoginAttempt, LoginThrottle, Verdict } from "./login-throttle.service.ts";
import type { SecondFactor } from "./second-factor.service.ts";

/** Longer names cannot be accounts. */
const MAX_ACCOUNT = 255;

export interface LoginDependencies {
  db: Db;
  box: SecretBox;
  throttle: LoginThrottle;
  audit: Audit;
  secondFactor: SecondFactor;
  storage: StorageHealth;
  log: Log;
}

/** Signing in and out, independent of how the session id is transported. */
export class Login {
  constructor(private readonly dependencies: LoginDependencies) {}

  /** Rejects sources with too many failures before the body is read. @throws ApiError 429 */
  admit(address: string): void {
    this.dependencies.throttle.admit(address);
  }

  /**
   * Checks a name, a password and, if the user has a second factor, a code.
   * @param code from the app, or a recovery code; "" when none was given
   * @throws ApiError 401 for wrong credentials or a missing or wrong code, 429 after too many failures
   */
  check(uname: string, password: string, code: string, address: string): User {
    const user = findUser(this.dependencies.db, uname);
    const attempt = {
      operation: "login",
      account: uname.slice(0, MAX_ACCOUNT),
      isKnownAccount: user !== undefined,
      actor: anonymousActor(user?.uname ?? "", address),
      wrongPassword: accountErrors.wrongCredentials,
    };
    let codeKind: "totp" | "recovery" | null = null;
    this.dependencies.throttle.check(attempt, (): Verdict => {
      // Compares for unknown users too, so that the response time does not reveal which users exist.
      const matches = isMd5Of(md5(password), user ? this.dependencies.box.open(user.passwordMd5) : md5(""));
      if (!matches || user?.origin !== "local") return "wrong";
      if (!hasSecondFactor(user)) return "right";
      if (code === "") return accountErrors.secondFactorNeeded();
      const wait = this.dependencies.throttle.waitForCode(uname);
      if (wait > 0) return accountErrors.tooManyLogins(wait);
      codeKind = this.dependencies.secondFactor.use(user, code);
      return codeKind === null ? "wrong code" : "right";
    });
    if (!user) throw accountErrors.wrongCredentials();
    const record = () =>
      this.dependencies.audit.add(signedInActor(user.uname, address), {
        operation: "login",
        subject: "user",
        subjectId: user.uname,
        ...(codeKind === "recovery" && {
          details: { recoverycodesleft: this.dependencies.secondFactor.recoveryCodesLeft(user) },
        }),
      });
    // On a full disk, users can still sign in and read. Their changes are rejected.
    if (!this.dependencies.storage.ifPossible(record))
      this.dependencies.log.warn("a sign-in could not be recorded in the audit log", {
        user: user.uname,
        address,
      });
    return user;
  }

  /**
   * Checks a user's current password, or its MD5, before a change of the account. It does nothing for users
   * without a password. Failures count for the actor, and as failed logins.
   * @throws ApiError 403, 404, 429
   */
  confirmChange(uname: string, oldpassword: string, actor: Actor): void {
    const user = existingUser(this.dependencies.db, uname);
    if (user.origin !== "local") return;
    const current = this.dependencies.box.open(user.passwordMd5);
    const isRight = () => isMd5Of(oldpassword, current) || isMd5Of(md5(oldpassword), current);
    const wrongPassword = () => accountErrors.wrongPassword("oldpassword is not the user's current password");
    this.#confirm({ operation: "admin/users/update", account: uname, actor, wrongPassword }, isRight);
  }

  /** Checks a password before a change of the second factor. @throws ApiError 403, 404, 409, 429 */
  confirmPassword(operation: string, uname: string, password: string, actor: Actor): void {
    const user = existingUser(this.dependencies.db, uname);
    if (user.origin !== "local") throw accountErrors.noPassword(uname);
    const current = this.dependencies.box.open(user.passwordMd5);
    const wrongPassword = () => accountErrors.wrongPassword("That is not your current password");
    const isRight = () => isMd5Of(md5(password), current);
    this.#confirm({ operation, account: uname, actor, wrongPassword }, isRight);
  }

  /** Checks and uses up a code of the user's second factor. @throws ApiError 403, 404, 409, 429 */
  confirmCode(operation: string, uname: string, code: string, actor: Actor): void {
    const user = existingUser(this.dependencies.db, uname);
    if (!hasSecondFactor(user)) throw accountErrors.totpOff();
    const isRight = () => this.dependencies.secondFactor.use(user, code) !== null;
    this.#confirm({ operation, account: uname, actor, wrongPassword: accountErrors.wrongCode }, isRight);
  }

  #confirm(details: Omit<LoginAttempt, "isKnownAccount" | "isConfirmation">, isRight: () => boolean): void {
    const attempt = { ...details, isKnownAccount: true, isConfirmation: true };
    this.dependencies.throttle.check(attempt, () => (isRight() ? "right" : "wrong"));
  }

  /** Ends the caller's session, if there is one. */
  out(caller: Account, address: string): void {
    const { session, uname } = caller;
    if (!session) return;
    transaction(this.dependencies.db, () => {
      deleteSession(this.dependencies.db, session.idHash);
      this.dependencies.audit.add(signedInActor(uname, address), {
        operation: "session/invalidate",
        subject: "session",
      });
    });
  }
}
