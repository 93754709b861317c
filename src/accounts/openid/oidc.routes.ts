import { Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { COOKIES, cookieOf, giveCookie, takeCookieBack } from "../../platform/http/cookies.ts";
import { getOnly } from "../../platform/http/mount.ts";
import stylesheet from "../../platform/http/page.css" with { type: "text" };
import { escaped, htmlReply } from "../../platform/http/page.ts";
import type { PageStyle } from "../../platform/http/page-style.ts";
import type { Sessions } from "../sessions/sessions.service.ts";
import { startSession } from "../sessions/start-session.ts";
import type { OidcLogin } from "./oidc-login.ts";
import { CALLBACK } from "./oidc-options.ts";
import type { SignInFailure } from "./sign-in-failure.ts";

const OIDC_LOGIN = COOKIES.signIn.path;
const STYLESHEET = "/login/page.css";
/** No icon: the file name of the UI's icon changes with its content. */
const HEAD = `<link rel="stylesheet" href="${STYLESHEET}">\n<link rel="icon" href="data:,">`;

const ANSWERS: Readonly<Record<SignInFailure, [status: ContentfulStatusCode, text: string]>> = {
  denied: [403, "The sign-in was cancelled, or refused by the provider."],
  forbidden: [403, "The provider knows you, but you are in none of the groups that may use Muster."],
  expired: [400, "This sign-in took too long, was used before, or was begun in another browser."],
  unreachable: [502, "The provider does not answer. Try again later."],
  keys: [502, "The provider uses a key that Muster does not know yet. Try again."],
  invalid: [502, "The provider's answer could not be used. The log of Muster says why."],
};

function failureReply(c: AppContext, failure: SignInFailure): Response {
  const [status, text] = ANSWERS[failure];
  const body = `<p>You are not signed in.</p>\n<p>${escaped(text)}</p>\n<p><a href="/">Back to the start page</a></p>`;
  return htmlReply(c, body, { status, head: HEAD });
}

async function begin(c: AppContext, login: OidcLogin): Promise<Response> {
  const signIn = await login.begin(c.req.query("next") ?? "");
  if (typeof signIn === "string") return failureReply(c, signIn);
  giveCookie(c, COOKIES.signIn, signIn.attempt);
  c.header("Cache-Control", "no-store");
  return c.redirect(signIn.url.href, 302);
}

async function finish(c: AppContext, login: OidcLogin, sessions: Sessions): Promise<Response> {
  const { address } = c.get("clientInfo");
  const { searchParams } = new URL(c.req.url);
  const finished = await login.finish(cookieOf(c, COOKIES.signIn) ?? "", searchParams, address);
  takeCookieBack(c, COOKIES.signIn);
  if (typeof finished === "string") return failureReply(c, finished);
  const { user, next } = finished;
  startSession(c, sessions, { userId: user.id, csrfProtection: true });
  // A page instead of a redirect: a redirect would continue the provider's navigation, with which browsers do
  // not send the Strict session cookie.
  const href = escaped(next);
  return htmlReply(c, `<p>You are signed in. <a href="${href}">Continue</a></p>`, {
    head: `<meta http-equiv="refresh" content="0;url=${href}">\n${HEAD}`,
  });
}

/** The pages of a sign-in with the OpenID provider, which browsers open: no operations of the API. */
export function oidcRoutes(login: OidcLogin, sessions: Sessions, style: PageStyle): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, OIDC_LOGIN, (c) => begin(c, login));
  getOnly(routes, CALLBACK, (c) => finish(c, login, sessions));
  getOnly(routes, STYLESHEET, style.sheet(stylesheet));
  return routes;
}
