import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv, Caller } from "../../platform/http/context.ts";
import type { Tokens } from "../tokens/tokens.service.ts";
import { sessionIdOf } from "./session-cookie.ts";
import type { Sessions } from "./sessions.service.ts";

function callerBehind(c: AppContext, sessions: Sessions, tokens: Tokens): Caller | null {
  // A cookie does not compensate for an invalid token: a client that sends a token is judged by the token.
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(c.req.header("Authorization") ?? "");
  if (bearer) return tokens.resolve(bearer[1]?.trim() ?? "");
  const id = sessionIdOf(c);
  const caller = id ? sessions.resolve(id) : null;
  // A session of proxy sign-in is valid only while the proxy names its user, regardless of the cookie.
  const { externalUser } = c.get("clientInfo");
  return caller?.origin === "proxy" && caller.uname !== externalUser?.uname ? null : caller;
}

/** Sets `c.var.caller` from the API token or the session cookie; null without either. */
export function authenticate(sessions: Sessions, tokens: Tokens): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("caller", callerBehind(c, sessions, tokens));
    await next();
  };
}
