import type { MiddlewareHandler } from "hono";
import { sessionIdOf } from "../sessions/session-cookie.ts";
import type { Sessions } from "../sessions/sessions.service.ts";
import type { AppEnv } from "./context.ts";

/** Sets `c.var.caller` from the session cookie; null when nobody is signed in. Whether that matters, each operation says. */
export function authenticate(sessions: Sessions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const id = sessionIdOf(c);
    c.set("caller", id ? sessions.resolve(id) : null);
    await next();
  };
}
