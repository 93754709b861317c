/** The API once more where existing clients look for it: below / and /api/2, in their words. */
import type { Hono, MiddlewareHandler } from "hono";
import { authenticate } from "../../accounts/sessions/authenticate.ts";
import type { Sessions } from "../../accounts/sessions/sessions.service.ts";
import type { Login } from "../../accounts/sign-in/login.service.ts";
import type { Tokens } from "../../accounts/tokens/tokens.service.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { mount } from "../../platform/http/mount.ts";
import { changesState, METHODS, type Operation } from "../../platform/http/operation.ts";
import { htmlReply } from "../../platform/http/page.ts";
import { serveLegacyLogin } from "./legacy-login.routes.ts";
import { offerSession } from "./legacy-session.ts";
import type { MapQueries } from "./maps.queries.ts";
import { mapOperations } from "./maps.routes.ts";
import { loginForm } from "./pages.ts";
import { RequestedPaths, withoutSecrets } from "./requested-paths.ts";
import { translated, translateLegacyArguments } from "./translation.ts";

export const LEGACY_MOUNTS = ["", "/api/2"] as const;

export interface LegacyApiDependencies {
  queries: MapQueries;
  sessions: Sessions;
  tokens: Tokens;
  login: Login;
}

/** The operations of the older mounts. @param operations those of the specification */
export function legacyOperations(queries: MapQueries, operations: readonly Operation[]): Operation[] {
  return [...translated(operations), ...mapOperations(queries)];
}

/**
 * Without a session, the login page: existing clients know by its type that they have to sign in and ask again, and take
 * a 401 for the end. Who sends an API token is no such client.
 */
function loginPage(
  sessions: Sessions,
  requestedPaths: RequestedPaths,
  { kind }: Operation,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (c.get("caller") || /^bearer\b/i.test(c.req.header("Authorization") ?? "")) return next();
    const id = offerSession(c, sessions);
    // To be sent to what changes state would be to do it.
    const requested = c.req.method === "GET" && !changesState(kind) ? withoutSecrets(new URL(c.req.url)) : "";
    if (id !== undefined && requested !== "") requestedPaths.remember(id, requested);
    return htmlReply(c, loginForm(c, "You are not signed in.", requested));
  };
}

/** Serves exactly the paths of the operations and of the login; everything else is left to whatever comes after. */
export function serveLegacyApi(
  app: Hono<AppEnv>,
  { queries, sessions, tokens, login }: LegacyApiDependencies,
  operations: readonly Operation[],
): void {
  const requestedPaths = new RequestedPaths();
  serveLegacyLogin(app, sessions, login, requestedPaths);
  const older = legacyOperations(queries, operations);
  for (const prefix of LEGACY_MOUNTS) {
    for (const operation of older)
      app.on(
        [...METHODS[operation.kind]],
        prefix + operation.path,
        authenticate(sessions, tokens),
        loginPage(sessions, requestedPaths, operation),
      );
    mount(app, prefix, older, translateLegacyArguments);
  }
}
