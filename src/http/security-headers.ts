import { secureHeaders } from "hono/secure-headers";

const YEAR = 365 * 86_400;

/**
 * Headers that every reply carries. The policy allows what Muster itself serves and no inline script or style.
 * @param secure whether the outside is https; only then may a browser be told to insist on it
 */
export function securityHeaders(secure: boolean) {
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
