import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "./context.ts";

const YEAR = 365 * 86_400;

/** The policy allows what Muster itself serves and no inline script or style. */
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
    // What a route sets itself is narrower.
    overwrite: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  });
}

/** Headers that every reply carries. Only who speaks https is told to insist on it. Comes after `clientInfo`. */
export function securityHeaders(): MiddlewareHandler<AppEnv> {
  const [open, secure] = [headersOf(false), headersOf(true)];
  return (c, next) => (c.get("clientInfo").secure ? secure : open)(c, next);
}
