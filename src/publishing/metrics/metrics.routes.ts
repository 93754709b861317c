import { Hono, type MiddlewareHandler } from "hono";
import { isDirectFromThisMachine } from "../../platform/http/client-info.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { TEXT_FORMAT } from "./metrics.ts";
import type { ServiceMetrics, Surface } from "./service-metrics.ts";

/** Middleware that counts and times the requests to the routes below it. */
export function measured(
  metrics: ServiceMetrics,
  surface: Surface,
  monotonic: () => number,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAt = c.env?.outcome?.startedAt ?? monotonic();
    await next();
    const code = c.error instanceof ApiError ? c.error.code : c.res.status === 503 ? "busy" : null;
    metrics.answered(surface, c.res.status, code, (monotonic() - startedAt) / 1000);
  };
}

/**
 * `GET /metrics`, for Prometheus. Open to programs on this machine that connect without a proxy; others need
 * an API token (scope read is enough) or a session, of a user who sees all hosts.
 * @param extraLines lines of other modules
 */
export function metricsRoutes(metrics: ServiceMetrics, extraLines: () => readonly string[]): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, "/", (c) => {
    if (!isDirectFromThisMachine(c)) {
      const caller = c.get("caller");
      if (!caller) throw errors.signInNeeded();
      // The metrics count what every host does.
      if (caller.rights.view !== "all") throw errors.notGranted();
    }
    return c.body(metrics.text(extraLines()), 200, {
      "Content-Type": TEXT_FORMAT,
      "Cache-Control": "no-store",
    });
  });
  return routes;
}
