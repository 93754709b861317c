import { getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "../../platform/http/context.ts";

export const SESSION_COOKIE = "zsessionid";

/** The session id sent by the client, if any. Clients that echo a whole Set-Cookie line are supported. */
export function sessionIdOf(c: AppContext): string | undefined {
  return getCookie(c, SESSION_COOKIE);
}

/** SameSite=Strict is sufficient: the UI's files are public, and its API calls are same-site. */
export function giveSessionCookie(c: AppContext, id: string): void {
  setCookie(c, SESSION_COOKIE, id, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: c.get("clientInfo").secure,
  });
}
