import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { DAY } from "../clock.ts";
import type { AppEnv } from "./context.ts";

const YEAR = 365 * DAY;

/** The content security policy allows what Muster serves, and no inline script or style. */
function headersOf(secure: boolean): MiddlewareHandler<AppEnv> {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: "DENY",
    referrerPolicy: "same-origin",
    strictTransportSecurity: secure ? `max-age=${YEAR}` : false,
    // A policy set by a route itself is stricter.
    overwrite: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  });
}

/** Sets security headers on every response. Must follow `clientInfo`: HSTS is for https only. */
export function securityHeaders(): MiddlewareHandler<AppEnv> {
  const [open, secure] = [headersOf(false), headersOf(true)];
  return (c, next) => (c.get("clientInfo").secure ? secure : open)(c, next);
}
