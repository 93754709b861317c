/** The legacy API: the operations under /, /api/2 and their old names, for existing clients. */
import type { Hono, MiddlewareHandler } from "hono";
import { type Authentication, authenticate } from "../../accounts/sessions/authenticate.ts";
import type { Sessions } from "../../accounts/sessions/sessions.service.ts";
import type { Login } from "../../accounts/sign-in/login.service.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { getOnly, mount } from "../../platform/http/mount.ts";
import { changesState, type Operation } from "../../platform/http/operation.ts";
import { htmlReply } from "../../platform/http/page.ts";
import { serveLegacyLogin } from "./legacy-login.routes.ts";
import { offerSession } from "./legacy-session.ts";
import type { MapQueries } from "./maps.queries.ts";
import { mapOperations } from "./maps.routes.ts";
import { loginForm } from "./pages.ts";
import { RequestedPaths, withoutSecrets } from "./requested-paths.ts";
import { legacyVersions, translateLegacyArguments } from "./translation.ts";

export const LEGACY_MOUNTS = ["", "/api/2"] as const;

export interface LegacyApiDependencies extends Authentication {
  queries: MapQueries;
  login: Login;
}

/** The operations of the legacy API. @param operations those of /api/1 */
export function legacyOperations(queries: MapQueries, operations: readonly Operation[]): Operation[] {
  return [...legacyVersions(operations), ...mapOperations(queries)];
}

/**
 * Answers with the login page if there is no session. Existing clients recognise it by its content type, sign in and
 * repeat the request; to them a 401 is final. A request with an API token does not come from such a client.
 */
function loginPage(
  sessions: Sessions,
  requestedPaths: RequestedPaths,
  { kind }: Operation,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.get("caller") || /^bearer\b/i.test(c.req.header("Authorization") ?? "")) return next();
    const id = offerSession(c, sessions);
    // After signing in, a redirect must never lead to an operation that changes state.
    const requested = c.req.method === "GET" && !changesState(kind) ? withoutSecrets(new URL(c.req.url)) : "";
    if (id !== undefined && requested !== "") requestedPaths.remember(id, requested);
    return htmlReply(c, loginForm(c, "You are not signed in.", requested));
  };
}

/** The address to which existing clients link for a host, such as the device page of Home Assistant. */
const HOST_PAGE = "/status/hosts/detail";

/** Redirects links of existing clients to the page of the host. The page itself asks for a login. */
function serveHostPage(app: Hono<AppEnv>): void {
  getOnly(app, HOST_PAGE, (c) => {
    const id = c.req.query("id") ?? "";
    if (!/^\d{1,16}$/.test(id)) throw errors.noSuchPath();
    return c.redirect(`/hosts/${Number(id)}`, 302);
  });
}

/** Serves the paths of the operations and of the login. Others fall through to the next handler. */
export function serveLegacyApi(
  app: Hono<AppEnv>,
  { queries, login, ...authentication }: LegacyApiDependencies,
  operations: readonly Operation[],
): void {
  const { sessions } = authentication;
  const requestedPaths = new RequestedPaths();
  serveLegacyLogin(app, sessions, login, requestedPaths);
  serveHostPage(app);
  const legacy = legacyOperations(queries, operations);
  const authenticated = authenticate(authentication);
  const before = [
    () => authenticated,
    (operation: Operation) => loginPage(sessions, requestedPaths, operation),
  ];
  for (const prefix of LEGACY_MOUNTS)
    mount(app, prefix, legacy, { translate: translateLegacyArguments, before });
}
