import { Hono } from "hono";
import type { Db } from "../storage/open.ts";
import type { StorageHealth } from "../storage/storage-health.ts";
import { VERSION } from "../version.ts";
import type { AppEnv } from "./context.ts";
import { errors } from "./errors.ts";
import { jsonReply } from "./reply.ts";

/** An answer is good for this many milliseconds: anyone may ask, and each question takes the write lock. */
const CACHE_MS = 1000;

/** Tells whether the database can be written. After an outage it finds that out by itself, without waiting for a message. */
export function healthCheck(
  db: Db,
  storage: Pick<StorageHealth, "isAvailable">,
  monotonic: () => number,
): () => boolean {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let healthy = false;

  return () => {
    if (monotonic() - checkedAt < CACHE_MS) return healthy;
    checkedAt = monotonic();
    try {
      db.$client.run("BEGIN IMMEDIATE");
      db.$client.run("ROLLBACK");
      healthy = storage.isAvailable();
    } catch {
      healthy = false;
    }
    return healthy;
  };
}

/** `GET /healthz`: whether Muster is well. */
export function healthRoutes(check: () => boolean): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => {
    if (!check()) throw errors.busy("The database cannot be written");
    return jsonReply(c, { status: "ok", version: VERSION });
  });
  routes.all("/", () => {
    throw errors.methodNotAllowed(["GET"]);
  });
  return routes;
}
