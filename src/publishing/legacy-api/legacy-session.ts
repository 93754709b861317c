/**
 * Sessions as existing clients keep them: the id of the first cookie they ever get, for ever. So an id is given before
 * anyone signs in, and the login of this dialect leaves it as it is.
 */

import { giveSessionCookie, sessionIdOf } from "../../accounts/sessions/session-cookie.ts";
import type { Sessions } from "../../accounts/sessions/sessions.service.ts";
import type { AppContext } from "../../platform/http/context.ts";
import { isForeign } from "../../platform/http/csrf.ts";

/** The id that the client sent, if Muster made it: signed in, expired or never used. */
export function ownSessionId(c: AppContext, sessions: Sessions): string | undefined {
  const id = sessionIdOf(c);
  return id !== undefined && sessions.isOurs(id) ? id : undefined;
}

/**
 * Whether another site caused the request. Some programs name the page they claim to come from without its scheme; no
 * browser does, so that says nothing.
 */
export function isForeignHere(c: AppContext): boolean {
  const saysNothing =
    c.req.header("Origin") === undefined &&
    c.req.header("Sec-Fetch-Site") === undefined &&
    !/^https?:\/\//i.test(c.req.header("Referer") ?? "");
  return !saysNothing && isForeign(c);
}

/**
 * Gives an id to a client that has none. Not to a browser that follows a link from another site: it holds its cookie
 * back then (SameSite=Strict), and a new one would sign it out.
 * @returns the id that the client has now, if any
 */
export function offerSession(c: AppContext, sessions: Sessions): string | undefined {
  const own = ownSessionId(c, sessions);
  if (own !== undefined || isForeignHere(c)) return own;
  const id = sessions.newId();
  giveSessionCookie(c, id);
  return id;
}

/**
 * Whether a browser asks. Over plain http it sends no Sec-Fetch headers to most names; the programs that this dialect is
 * for send none of these either, nor do they call themselves a browser.
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
 * The id to sign in under: the client's own. A browser gets a new one, since an id that somebody planted there must not
 * become signed in; it keeps the newest cookie.
 */
export function sessionIdForLogin(c: AppContext, sessions: Sessions): string {
  const own = isBrowser(c) ? undefined : ownSessionId(c, sessions);
  return own ?? sessions.newId();
}
