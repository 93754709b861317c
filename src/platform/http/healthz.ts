import { Hono } from "hono";
import { assertWritable, type Db } from "../storage/open.ts";
import type { StorageHealth } from "../storage/storage-health.ts";
import { VERSION } from "../version.ts";
import type { AppEnv } from "./context.ts";
import { errors } from "./errors.ts";
import { getOnly } from "./mount.ts";
import { jsonReply } from "./reply.ts";

/** How long a result is cached, milliseconds: anyone may ask, and each check takes the write lock. */
const CACHE_MS = 1000;

/** Creates the check of whether the database is writable. It probes the database after an outage. */
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
      assertWritable(db);
      healthy = storage.isAvailable();
    } catch {
      healthy = false;
    }
    return healthy;
  };
}

/** `GET /healthz`: whether the server is healthy. */
export function healthRoutes(check: () => boolean): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, "/", (c) => {
    if (!check()) throw errors.busy("The database cannot be written");
    return jsonReply(c, { status: "ok", version: VERSION });
  });
  return routes;
}
