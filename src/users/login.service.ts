import { type Actor, stranger } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import { type Db, transaction } from "../database/open.ts";
import type { Caller } from "../http/context.ts";
import { errors } from "../http/errors.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { deleteSession } from "../sessions/sessions.repository.ts";
import type { LoginThrottle } from "./login-throttle.service.ts";
import { isMd5Of, md5 } from "./password.ts";
import { findUser, type User } from "./users.repository.ts";

/** Longer account names are no accounts. */
const MAX_ACCOUNT = 255;

/** Signing in and out, as far as it does not depend on how the session's id travels. */
export class Login {
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    private readonly throttle: LoginThrottle,
    private readonly audit: Audit,
  ) {}

  /** Checks a name and password. @throws ApiError 401 for wrong credentials, 429 after too many of them */
  check(uname: string, password: string, address: string): User {
    const user = findUser(this.db, uname);
    const attempt = {
      operation: "login",
      account: uname.slice(0, MAX_ACCOUNT),
      isKnownAccount: user !== undefined,
      actor: stranger(user?.uname ?? "", address),
      refusal: errors.wrongCredentials,
    };
    this.throttle.check(attempt, () => {
      // A comparison happens for unknown users too, so that the time of the answer does not tell them apart.
      const matches = isMd5Of(md5(password), user ? this.box.open(user.passwordMd5) : md5(""));
      return matches && user !== undefined;
    });
    if (!user) throw errors.wrongCredentials();
    this.audit.add(this.#signedIn(user.uname, address), {
      operation: "login",
      subject: "user",
      subjectId: user.uname,
    });
    return user;
  }

  /**
   * Checks a user's present password, or its MD5, as given before a change. Wrong ones count like those of a login.
   * @throws ApiError 403, 404, 429
   */
  confirm(uname: string, oldpassword: string, actor: Actor): void {
    const user = findUser(this.db, uname);
    if (!user) throw errors.notFound("user", uname);
    const present = this.box.open(user.passwordMd5);
    const attempt = {
      operation: "admin/users/update",
      account: uname,
      isKnownAccount: true,
      actor,
      refusal: errors.wrongOldPassword,
    };
    this.throttle.check(attempt, () => isMd5Of(oldpassword, present) || isMd5Of(md5(oldpassword), present));
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
