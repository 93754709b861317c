/** The script that installs Monit on a machine and points it here. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { NO_STORE } from "../../platform/http/reply.ts";
import { addressFor, SCRIPT_PATH } from "../agent-keys/agent-config.ts";
import script from "./script.sh" with { type: "text" };

/** Host and port as a shell script may contain them: a request says which. */
const PLAIN_HOST = /^[A-Za-z0-9.:[\]-]+$/;

/**
 * `GET /enrol.sh`, without authentication. The script contains no secret: whoever runs it passes a code.
 * @param baseUrl public origin of Muster; null if not configured
 * @param allowsPlain whether codes are accepted over plain http
 */
export function scriptRoutes(baseUrl: () => URL | null, allowsPlain: () => boolean): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, SCRIPT_PATH, (c) => {
    const { secure, host } = addressFor(c, baseUrl());
    if (!PLAIN_HOST.test(host)) throw errors.badRequest("The Host header must be a host and a port");
    const text = script
      .replaceAll("@MUSTER_URL@", `${secure ? "https" : "http"}://${host}`)
      .replaceAll("@ALLOW_PLAIN@", allowsPlain() ? "yes" : "no");
    return c.body(text, 200, { "Content-Type": "text/x-shellscript; charset=utf-8", ...NO_STORE });
  });
  return routes;
}
