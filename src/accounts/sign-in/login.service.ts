import type { Caller } from "../../platform/http/context.ts";
import { type ApiError, errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { type Actor, stranger } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import { deleteSession } from "../sessions/sessions.repository.ts";
import { isMd5Of, md5 } from "../users/password.ts";
import { accountErrors } from "../users/users.errors.ts";
import { findUser, hasSecondFactor, type User } from "../users/users.repository.ts";
import type { LoginThrottle, Verdict } from "./login-throttle.service.ts";
import type { SecondFactor } from "./second-factor.service.ts";

/** Longer account names are no accounts. */
const MAX_ACCOUNT = 255;

/** Signing in and out, as far as it does not depend on how the session's id travels. */
export class Login {
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    private readonly throttle: LoginThrottle,
    private readonly audit: Audit,
    private readonly secondFactor: SecondFactor,
    private readonly storage: StorageHealth,
    private readonly log: Log,
  ) {}

  /** Refuses a source that tried too often, before anything is read of it. @throws ApiError 429 */
  admit(address: string): void {
    this.throttle.admit(address);
  }

  /**
   * Checks a name, password and, where the user has a second factor, a code of it.
   * @param code of the app, or a recovery code; "" when none was given
   * @throws ApiError 401 for wrong credentials and for a code that is needed and missing or wrong, 429 after too many
   */
  check(uname: string, password: string, code: string, address: string): User {
    const user = findUser(this.db, uname);
    const attempt = {
      operation: "login",
      account: uname.slice(0, MAX_ACCOUNT),
      isKnownAccount: user !== undefined,
      actor: stranger(user?.uname ?? "", address),
      refusal: accountErrors.wrongCredentials,
    };
    let used: "totp" | "recovery" | null = null;
    this.throttle.check(attempt, (): Verdict => {
      // A comparison happens for unknown users too, so that the time of the answer does not tell them apart.
      const matches = isMd5Of(md5(password), user ? this.box.open(user.passwordMd5) : md5(""));
      if (!matches || user?.origin !== "local") return "wrong";
      if (!hasSecondFactor(user)) return "right";
      if (code === "") return accountErrors.secondFactorNeeded();
      const wait = this.throttle.waitForCode(uname);
      if (wait > 0) return accountErrors.tooManyLogins(wait);
      used = this.secondFactor.use(user, code);
      return used === null ? "wrong code" : "right";
    });
    if (!user) throw accountErrors.wrongCredentials();
    try {
      this.audit.add(this.#signedIn(user.uname, address), {
        operation: "login",
        subject: "user",
        subjectId: user.uname,
        ...(used === "recovery" && {
          details: { recoverycodesleft: this.secondFactor.recoveryCodesLeft(user) },
        }),
      });
    } catch (error) {
      // On a full disk people can still look; what they change then is refused.
      if (!this.storage.failed(error)) throw error;
      this.log.warn("a sign-in could not be put into the audit log", { user: user.uname, address });
    }
    return user;
  }

  /**
   * Checks a user's present password, or its MD5, as given before a change of his account. Who has none is not asked.
   * Wrong ones count like those of a login.
   * @throws ApiError 403, 404, 429
   */
  confirmChange(uname: string, oldpassword: string, actor: Actor): void {
    const user = this.#find(uname);
    if (user.origin !== "local") return;
    const present = this.box.open(user.passwordMd5);
    this.#confirm(
      "admin/users/update",
      user,
      actor,
      () => accountErrors.wrongPassword("oldpassword is not the user's present password"),
      () => (isMd5Of(oldpassword, present) || isMd5Of(md5(oldpassword), present) ? "right" : "wrong"),
    );
  }

  /** Checks the caller's password before his second factor is changed. @throws ApiError 403, 404, 409, 429 */
  confirmPassword(operation: string, uname: string, password: string, actor: Actor): void {
    const user = this.#find(uname);
    if (user.origin !== "local") throw accountErrors.noPassword(uname);
    const present = this.box.open(user.passwordMd5);
    this.#confirm(
      operation,
      user,
      actor,
      () => accountErrors.wrongPassword("That is not your present password"),
      () => (isMd5Of(md5(password), present) ? "right" : "wrong"),
    );
  }

  /** Checks a code of the user's second factor, which is used up by it. @throws ApiError 403, 404, 409, 429 */
  confirmCode(operation: string, uname: string, code: string, actor: Actor): void {
    const user = this.#find(uname);
    if (!hasSecondFactor(user)) throw accountErrors.totpOff();
    this.#confirm(operation, user, actor, accountErrors.wrongCode, () =>
      this.secondFactor.use(user, code) === null ? "wrong" : "right",
    );
  }

  #confirm(
    operation: string,
    { uname }: User,
    actor: Actor,
    refusal: () => ApiError,
    judge: () => Verdict,
  ): void {
    const attempt = { operation, account: uname, isKnownAccount: true, actor, refusal, isSignedIn: true };
    this.throttle.check(attempt, judge);
  }

  #find(uname: string): User {
    const user = findUser(this.db, uname);
    if (!user) throw errors.notFound("user", uname);
    return user;
  }

  /** Ends the caller's login, if he has one. */
  out(caller: Caller, address: string): void {
    const { session, uname } = caller;
    if (!session) return;
    transaction(this.db, () => {
      deleteSession(this.db, session.idHash);
      this.audit.add(this.#signedIn(uname, address), { operation: "session/invalidate", subject: "session" });
    });
  }

  #signedIn(uname: string, address: string): Actor {
    return { uname, address, via: "login", token: "" };
  }
}
