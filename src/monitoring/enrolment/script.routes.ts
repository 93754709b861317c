/** The scripts for machines: one installs Monit and points it at Muster, the other one asks Muster for actions. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { NO_STORE } from "../../platform/http/reply.ts";
import { originOf } from "../../platform/net/web-url.ts";
import { helperScript } from "../actions/helper.ts";
import { addressFor, HELPER_PATH, SCRIPT_PATH } from "../agent-keys/agent-config.ts";
import script from "./script.sh" with { type: "text" };

const SHELL = { "Content-Type": "text/x-shellscript; charset=utf-8", ...NO_STORE };

/**
 * `GET /enrol.sh` and `GET /muster-actions.sh`, without authentication. The scripts contain no secret: the first one is
 * given a code, the second one reads its settings from a file.
 * @param baseUrl public origin of Muster; null if not configured
 * @param allowsPlain whether codes are accepted over plain http
 */
export function scriptRoutes(baseUrl: () => URL | null, allowsPlain: () => boolean): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, SCRIPT_PATH, (c) => {
    const text = script
      .replaceAll("@MUSTER_URL@", originOf(addressFor(c, baseUrl())))
      .replaceAll("@ALLOW_PLAIN@", allowsPlain() ? "yes" : "no");
    return c.body(text, 200, SHELL);
  });
  getOnly(routes, HELPER_PATH, (c) => c.body(helperScript, 200, SHELL));
  return routes;
}
