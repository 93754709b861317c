import type { AppContext } from "../../platform/http/context.ts";
import { COOKIES, cookieOf, giveCookie } from "../../platform/http/cookies.ts";
import type { Sessions, SignIn, StartedSession } from "./sessions.service.ts";

type NewSession = Pick<SignIn, "userId" | "csrfProtection"> & Partial<Pick<SignIn, "id">>;

/** Signs the client of a request in and sets the session cookie, unless the request already has it. */
export function startSession(
  c: AppContext,
  sessions: Sessions,
  { userId, csrfProtection, id = sessions.newId() }: NewSession,
): StartedSession {
  const { address } = c.get("clientInfo");
  const userAgent = c.req.header("User-Agent");
  const session = sessions.start({ userId, id, address, csrfProtection, userAgent });
  if (id !== cookieOf(c, COOKIES.session)) giveCookie(c, COOKIES.session, id);
  return session;
}
