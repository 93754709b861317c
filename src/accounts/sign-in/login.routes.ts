import * as v from "valibot";
import type { AppContext } from "../../platform/http/context.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { described, oneOf, text } from "../../platform/http/validate.ts";
import type { Sessions } from "../sessions/sessions.service.ts";
import { startSession } from "../sessions/start-session.ts";
import { accountErrors } from "../users/users.errors.ts";
import type { User } from "../users/users.repository.ts";
import type { ProxyLogin } from "./external-users.service.ts";
import type { Login } from "./login.service.ts";

/** Ways to sign in without a password in Muster; null for those not configured. */
export interface OtherLogins {
  /** The provider's name for the sign-in page. */
  oidc: { name: string } | null;
  proxy: ProxyLogin | null;
}

export const methodsReply = v.object({
  password: described(v.boolean(), "whether sign-in with name and password is available"),
  oidc: described(
    v.nullable(v.object({ name: described(v.string(), "label of the sign-in button") })),
    "the OpenID provider, where a browser signs in at /login/oidc?next=PATH; null without one",
  ),
  proxy: described(
    v.nullable(v.object({ uname: described(v.string(), "login name") })),
    "the user whom the proxy in front has authenticated; null if it names none",
  ),
  signedin: described(v.boolean(), "whether the caller is signed in"),
});

export const loginReply = v.object({
  uname: described(v.string(), "login name"),
  fullname: described(v.string(), "full name"),
  admin: described(v.boolean(), "whether the user is an administrator"),
  CSRFToken: described(v.string(), "token that every write of this session must carry"),
});

/** Signs a user in, always with a new session id. */
function signIn(c: AppContext, sessions: Sessions, user: User, csrfProtection: boolean) {
  const { id: userId, uname, fullname, admin } = user;
  const { csrfToken } = startSession(c, sessions, { userId, csrfProtection });
  return { uname, fullname, admin, CSRFToken: csrfToken };
}

/** Signing in with a password or through a proxy. Anyone may call these; each login adds its own audit entry. */
export function loginOperations(login: Login, otherLogins: OtherLogins, sessions: Sessions): Operation[] {
  return [
    read("/login/methods", {
      access: "public",
      summary: "Available ways to sign in, and whether the caller is signed in",
      response: methodsReply,
      handle: (_args, c) => {
        const { externalUser } = c.get("clientInfo");
        return {
          password: true,
          oidc: otherLogins.oidc && { name: otherLogins.oidc.name },
          proxy: otherLogins.proxy && externalUser && { uname: externalUser.uname },
          signedin: c.get("caller") !== null,
        };
      },
    }),
    write("/login/proxy", {
      access: "public",
      summary: "Sign in as the user authenticated by the proxy; the reply sets the session cookie",
      response: loginReply,
      errors: [
        because(errors.badRequest, "No trusted proxy names a user"),
        accountErrors.noAccount,
        accountErrors.nameTaken,
      ],
      audit: "itself",
      handle: (_args, c) => {
        const { externalUser, address } = c.get("clientInfo");
        if (!otherLogins.proxy || !externalUser) throw errors.badRequest("No trusted proxy names a user");
        return signIn(c, sessions, otherLogins.proxy(externalUser, address), true);
      },
    }),
    write("/login", {
      access: "public",
      summary: "Sign in; the reply sets the session cookie",
      request: v.object({
        z_username: described(text(1, 255), "login name"),
        z_password: described(text(1, 255), "password"),
        z_totp: described(
          v.optional(text(0, 64), ""),
          "code of the user's second factor, or one of the recovery codes; for users who have one",
        ),
        z_csrf_protection: described(
          v.optional(oneOf(["on", "off"]), "on"),
          "off: calls of this session need no CSRF token",
        ),
      }),
      response: loginReply,
      errors: [
        accountErrors.wrongCredentials,
        accountErrors.secondFactorNeeded,
        accountErrors.wrongSecondFactor,
        accountErrors.tooManyLogins,
      ],
      admit: (c) => login.admit(c.get("clientInfo").address),
      audit: "itself",
      handle: (args, c) => {
        const { address } = c.get("clientInfo");
        const user = login.check(args.z_username, args.z_password, args.z_totp, address);
        return signIn(c, sessions, user, args.z_csrf_protection !== "off");
      },
    }),
  ];
}
