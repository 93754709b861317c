import type { MiddlewareHandler } from "hono";
import type { Account, AppContext, AppEnv } from "../../platform/http/context.ts";
import { COOKIES, cookieOf } from "../../platform/http/cookies.ts";
import type { Rights } from "../../platform/http/scope.ts";
import type { Tokens } from "../tokens/tokens.service.ts";
import type { Sessions } from "./sessions.service.ts";

/** What is needed to find the caller of a request, and what they may do. */
export interface Authentication {
  sessions: Sessions;
  tokens: Tokens;
  /** Looks up what a user may do with which hosts. */
  grants: { rightsOf(account: Account): Rights };
}

function callerBehind(c: AppContext, sessions: Sessions, tokens: Tokens): Account | null {
  // A cookie does not compensate for an invalid token: a client that sends a token is judged by the token.
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(c.req.header("Authorization") ?? "");
  if (bearer) return tokens.resolve(bearer[1]?.trim() ?? "");
  const id = cookieOf(c, COOKIES.session);
  const caller = id ? sessions.resolve(id) : null;
  // A session of proxy sign-in is valid only while the proxy names its user, regardless of the cookie.
  const { externalUser } = c.get("clientInfo");
  return caller?.origin === "proxy" && caller.uname !== externalUser?.uname ? null : caller;
}

/** Sets `c.var.caller` from the API token or the session cookie, null without either; and `c.var.callerNow`. */
export function authenticate({ sessions, tokens, grants }: Authentication): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const callerNow = () => {
      const account = callerBehind(c, sessions, tokens);
      return account && { ...account, rights: grants.rightsOf(account) };
    };
    c.set("caller", callerNow());
    c.set("callerNow", callerNow);
    await next();
  };
}
