/** The collector endpoint as a route of the app. See `collector.node.ts` for the fast path in front of it. */
import { Hono } from "hono";
import { readBody } from "../../platform/http/arguments.ts";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { serveOnly } from "../../platform/http/mount.ts";
import { VERSION } from "../../platform/version.ts";
import type { Collector } from "./collector.ts";
import type { RejectedMessages } from "./rejected-messages.ts";

/**
 * Agents compress their messages only if the Server header begins with `mmonit/` and a version of at least
 * 3.6.
 */
const SERVER_HEADER = `mmonit/4.3 muster/${VERSION}`;

async function receive(c: AppContext, collector: Collector): Promise<void> {
  const { outcome } = c.env ?? {};
  if (outcome?.error) throw outcome.error;
  if (outcome) return;
  await collector.receive({
    authorization: c.req.header("Authorization"),
    contentType: c.req.header("Content-Type"),
    contentEncoding: c.req.header("Content-Encoding"),
    address: c.get("clientInfo").address,
    body: (limit) => readBody(c, limit),
  });
}

/** `POST /collector`. 200 only once the message is durable. */
export function collectorRoutes(collector: Collector): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.use(async (c, next) => {
    await next();
    c.header("Server", SERVER_HEADER);
  });
  serveOnly(["POST"], routes, "/", async (c) => {
    await receive(c, collector);
    return c.body(null, 200);
  });
  return routes;
}

/** Lists the message of an agent whose control file names an unknown path among the rejected ones. */
export function noteMisdirected(c: AppContext, rejectedMessages: RejectedMessages): void {
  if (c.req.method !== "POST" || !/^monit\//i.test(c.req.header("User-Agent") ?? "")) return;
  const reason = "The path of the address in the agent's control file has to be /collector";
  rejectedMessages.add(c.get("clientInfo").address, reason);
}
