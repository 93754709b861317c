/** Every cookie that Muster sets. No file but this one sets any, which a test checks. */
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { DAY } from "../clock.ts";
import type { AppContext } from "./context.ts";

interface CookieRecord {
  name: string;
  /** The browser sends it with requests below this path only. */
  path: string;
  sameSite: "Strict" | "Lax";
  /** Seconds for which the browser keeps it; undefined: until it is closed. */
  maxAge?: number;
}

export const COOKIES = {
  /** The id of a session. Strict suffices: the files of the UI are public, and its API calls are same-site. */
  session: { name: "zsessionid", path: "/", sameSite: "Strict" },
  /**
   * The sealed state of a sign-in with a provider. Browsers return by a navigation from its site, without Strict
   * cookies.
   */
  signIn: { name: "muster_oidc", path: "/login/oidc", sameSite: "Lax", maxAge: 600 },
  /** The token of a wall. Browsers keep cookies for 400 days at most; revoking the token ends it earlier. */
  wall: { name: "zwall", path: "/api/1/wall", sameSite: "Strict", maxAge: 400 * DAY },
} as const satisfies Record<string, CookieRecord>;

/** The value of a cookie that the client sent. Clients that echo a whole Set-Cookie line are supported. */
export function cookieOf(c: AppContext, { name }: CookieRecord): string | undefined {
  return getCookie(c, name);
}

/** Sets a cookie. Scripts cannot read it, and over https it is never sent in clear text. */
export function giveCookie(c: AppContext, { name, ...limits }: CookieRecord, value: string): void {
  setCookie(c, name, value, { ...limits, httpOnly: true, secure: c.get("clientInfo").secure });
}

/** Has the client delete a cookie, which it does only for the path for which it was set. */
export function takeCookieBack(c: AppContext, { name, path }: CookieRecord): void {
  deleteCookie(c, name, { path });
}
