import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv, Caller } from "../../platform/http/context.ts";
import type { Tokens } from "../tokens/tokens.service.ts";
import { sessionIdOf } from "./session-cookie.ts";
import type { Sessions } from "./sessions.service.ts";

function callerBehind(c: AppContext, sessions: Sessions, tokens: Tokens): Caller | null {
  // Whoever sends a token means to be judged by it: a cookie does not make up for one that is no longer good.
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(c.req.header("Authorization") ?? "");
  if (bearer) return tokens.resolve(bearer[1]?.trim() ?? "");
  const id = sessionIdOf(c);
  const caller = id ? sessions.resolve(id) : null;
  // Who is signed in by a proxy stays so while the proxy says so, whatever cookie he kept.
  const { externalUser } = c.get("clientInfo");
  return caller?.origin === "proxy" && caller.uname !== externalUser?.uname ? null : caller;
}

/**
 * Sets `c.var.caller` from the API token or the session cookie; null when nobody is signed in. Whether that matters,
 * each operation says.
 */
export function authenticate(sessions: Sessions, tokens: Tokens): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("caller", callerBehind(c, sessions, tokens));
    await next();
  };
}
