/** Login and logout of the legacy API. */
import type { Hono } from "hono";
import type { Sessions } from "../../accounts/sessions/sessions.service.ts";
import { startSession } from "../../accounts/sessions/start-session.ts";
import type { Login } from "../../accounts/sign-in/login.service.ts";
import { accountErrors } from "../../accounts/users/users.errors.ts";
import { readArguments } from "../../platform/http/arguments.ts";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { COOKIES, cookieOf } from "../../platform/http/cookies.ts";
import { foreignRequest } from "../../platform/http/csrf.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
import { localPath } from "../../platform/http/local-address.ts";
import { serveOnly } from "../../platform/http/mount.ts";
import { htmlReply } from "../../platform/http/page.ts";
import { isBrowser, isForeignHere, offerSession, ownSessionId, sessionIdForLogin } from "./legacy-session.ts";
import { loginForm, REQUESTED, signedInText } from "./pages.ts";
import { type RequestedPaths, withoutSecrets } from "./requested-paths.ts";

const INDEX = "/index.csp";
const LOGIN = "/z_security_check";
const LOGOUT = "/login/logout.csp";
const METHODS = ["GET", "POST"];

/** The path to open after login: a path of this server only, never another site, and without secrets. */
export function localAddress(requested: string): string {
  const url = localPath(requested);
  return !url || url.pathname === LOGIN || url.pathname === LOGOUT ? INDEX : withoutSecrets(url);
}

function refused(c: AppContext, sessions: Sessions, error: unknown, requested: string): Response {
  if (!(error instanceof ApiError)) throw error;
  offerSession(c, sessions);
  return htmlReply(c, loginForm(c, error.message, requested && localAddress(requested)), {
    status: error.status,
    headers: error.headers,
  });
}

async function signIn(
  c: AppContext,
  sessions: Sessions,
  login: Login,
  requestedPaths: RequestedPaths,
): Promise<Response> {
  if (isForeignHere(c)) throw foreignRequest(c);
  // Without Sec-Fetch headers, a link from another site looks the same as one from this site.
  if (c.req.method === "GET" && isBrowser(c))
    throw errors.foreignOrigin("A browser cannot sign in by GET: send the form by POST");
  const { address } = c.get("clientInfo");
  try {
    login.admit(address);
  } catch (error) {
    return refused(c, sessions, error, "");
  }
  const { values, problem } = await readArguments(c);
  if (problem) throw problem;
  const textOf = (name: string) => values.get(name)?.at(-1) ?? "";
  const [name, password, requested] = [textOf("z_username"), textOf("z_password"), textOf(REQUESTED)];
  try {
    // Without a password it is not a login attempt, so the rate limit does not count it.
    if (name === "" || password === "") throw accountErrors.wrongCredentials();
    const user = login.check(name, password, textOf("z_totp"), address);
    const csrfProtection = textOf("z_csrf_protection") !== "off";
    startSession(c, sessions, { userId: user.id, csrfProtection, id: sessionIdForLogin(c, sessions) });
    c.header("Cache-Control", "no-store");
    const remembered = requestedPaths.take(cookieOf(c, COOKIES.session) ?? "");
    return c.redirect(localAddress(requested || remembered), 302);
  } catch (error) {
    return refused(c, sessions, error, requested);
  }
}

function signOut(c: AppContext, sessions: Sessions, login: Login): Response {
  if (isForeignHere(c)) throw foreignRequest(c);
  const caller = sessions.resolve(cookieOf(c, COOKIES.session) ?? "");
  if (caller) login.out(caller, c.get("clientInfo").address);
  return htmlReply(c, loginForm(c, "You are signed out."));
}

function index(c: AppContext, sessions: Sessions): Response {
  offerSession(c, sessions);
  const caller = sessions.resolve(ownSessionId(c, sessions) ?? "");
  return htmlReply(c, caller ? signedInText(caller.fullname) : loginForm(c, "You are not signed in."));
}

/** Serves the legacy login. `GET /` remains the UI's start page; here it only gives clients a session id. */
export function serveLegacyLogin(
  app: Hono<AppEnv>,
  sessions: Sessions,
  login: Login,
  requestedPaths: RequestedPaths,
): void {
  app.get("/", async (c, next) => {
    const isNew = cookieOf(c, COOKIES.session) === undefined;
    if (isNew) offerSession(c, sessions);
    await next();
    // A shared cache must not hand one client's session id to another.
    if (isNew) c.header("Cache-Control", "private, no-cache");
  });
  serveOnly(METHODS, app, INDEX, (c) => index(c, sessions));
  serveOnly(METHODS, app, LOGIN, (c) => signIn(c, sessions, login, requestedPaths));
  serveOnly(METHODS, app, LOGOUT, (c) => signOut(c, sessions, login));
}
