/**
 * Sessions of existing clients. They keep the first session cookie that they receive and ignore later ones.
 * So they get an id before login, and the legacy login does not replace it.
 */

import type { Sessions } from "../../accounts/sessions/sessions.service.ts";
import type { AppContext } from "../../platform/http/context.ts";
import { COOKIES, cookieOf, giveCookie } from "../../platform/http/cookies.ts";
import { isForeign } from "../../platform/http/csrf.ts";

/** The id that the client sent if Muster issued it, whether it is signed in, expired or unused. */
export function ownSessionId(c: AppContext, sessions: Sessions): string | undefined {
  const id = cookieOf(c, COOKIES.session);
  return id !== undefined && sessions.isOurs(id) ? id : undefined;
}

/**
 * Whether another site caused the request. Some programs send a Referer without a scheme. No browser does, so
 * such a Referer is ignored.
 */
export function isForeignHere(c: AppContext): boolean {
  const hasNoOrigin =
    c.req.header("Origin") === undefined &&
    c.req.header("Sec-Fetch-Site") === undefined &&
    !/^https?:\/\//i.test(c.req.header("Referer") ?? "");
  return !hasNoOrigin && isForeign(c);
}

/**
 * Gives a session id to a client without one. A browser that follows a link from another site gets none: it
 * has withheld its cookie (SameSite=Strict), and a new one would sign it out.
 * @returns the id that the client has now, if any
 */
export function offerSession(c: AppContext, sessions: Sessions): string | undefined {
  const current = ownSessionId(c, sessions);
  if (current !== undefined || isForeignHere(c)) return current;
  const id = sessions.newId();
  giveCookie(c, COOKIES.session, id);
  return id;
}

/**
 * Whether the request comes from a browser. Over plain http a browser sends no Sec-Fetch headers to most host
 * names, so other typical headers count too. The programs that use the legacy API send none of them.
 */
export function isBrowser(c: AppContext): boolean {
  const names = [
    "Sec-Fetch-Mode",
    "Sec-Fetch-Site",
    "Upgrade-Insecure-Requests",
    "Accept-Language",
    "Origin",
  ];
  return (
    names.some((name) => c.req.header(name) !== undefined) ||
    /^mozilla\//i.test(c.req.header("User-Agent") ?? "")
  );
}

/**
 * The session id to sign in under: the client's. A browser gets a new id, because an attacker may have planted the
 * old one (session fixation), and because it accepts a new cookie.
 */
export function sessionIdForLogin(c: AppContext, sessions: Sessions): string {
  const current = isBrowser(c) ? undefined : ownSessionId(c, sessions);
  return current ?? sessions.newId();
}
