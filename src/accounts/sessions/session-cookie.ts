import { getCookie, setCookie } from "hono/cookie";
import type { AppContext } from "../../platform/http/context.ts";

export const SESSION_COOKIE = "zsessionid";

/** The session id that the client sent, if any. Cookie lines that echo a whole Set-Cookie line are understood. */
export function sessionIdOf(c: AppContext): string | undefined {
  return getCookie(c, SESSION_COOKIE);
}

/** Strict is enough: the UI's pages are public files and its API calls come from the same site. */
export function giveSessionCookie(c: AppContext, id: string): void {
  setCookie(c, SESSION_COOKIE, id, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: c.get("clientInfo").secure,
  });
}
