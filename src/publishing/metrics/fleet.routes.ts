import { Hono } from "hono";
import { readArguments } from "../../platform/http/arguments.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { validate } from "../../platform/http/validate.ts";
import { Slots } from "../../platform/queries/slots.ts";
import { fleetArguments } from "./fleet-metrics.schemas.ts";
import type { FleetMetrics } from "./fleet-metrics.ts";
import { TEXT_FORMAT } from "./metrics.ts";
import { textStream } from "./text-format.ts";

/** The most concurrent responses, one per caller; each holds its snapshot in memory. */
const MAX_ANSWERS = 8;
/** The most requests that wait for a response, and how long, milliseconds. */
const MAX_WAITING = 32;
const PATIENCE_MS = 30_000;
/** Milliseconds after which a slow client is disconnected. */
const TIMEOUT_MS = 60_000;
const HEADERS = { "Content-Type": TEXT_FORMAT, "Cache-Control": "no-store" };

/**
 * `GET /metrics/fleet`, for Prometheus: state and latest statistics of hosts and services. For every user,
 * with a session or an API token (scope read is enough).
 */
export function fleetRoutes(fleet: FleetMetrics): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const slots = new Slots({ slots: MAX_ANSWERS, waiting: MAX_WAITING, timeLimitMs: PATIENCE_MS });

  getOnly(routes, "/", async (c) => {
    if (!c.get("caller")) throw errors.signInNeeded();
    const { values, problem } = await readArguments(c);
    if (problem) throw problem;
    const filter = { ...validate(fleetArguments, values), scope: scopeOf(c) };
    // The body of a reply to HEAD is never read, so it would not free its slot.
    if (c.req.method === "HEAD") return c.body(null, 200, HEADERS);
    const release = await slots.take(turnOf(c));
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error("the client is too slow")), TIMEOUT_MS);
    const done = () => {
      clearTimeout(timer);
      release();
    };
    try {
      const snapshot = await fleet.read(
        turnOf(c),
        filter,
        AbortSignal.any([c.req.raw.signal, timeout.signal]),
      );
      return c.body(textStream(snapshot, timeout.signal, done), 200, HEADERS);
    } catch (error) {
      done();
      throw error;
    }
  });
  return routes;
}
