import { Hono } from "hono";
import { readArguments } from "../../platform/http/arguments.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { validate } from "../../platform/http/validate.ts";
import { fleetArguments } from "./fleet.schemas.ts";
import type { FleetMetrics } from "./fleet-metrics.ts";
import { TEXT_FORMAT } from "./metrics.ts";
import { textStream } from "./text-format.ts";

/** Answers that are under way at a time: each holds the numbers of its selection in memory. */
const MAX_ANSWERS = 2;
/** Milliseconds until a reader who does not read is cut off. */
const PATIENCE_MS = 60_000;

/**
 * `GET /metrics/fleet`, for Prometheus: how hosts and services are, and their latest numbers. For any user, by login or
 * API token (scope read is enough).
 */
export function fleetRoutes(fleet: FleetMetrics): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  let answers = 0;

  routes.get("/", async (c) => {
    if (!c.get("caller")) throw errors.signInNeeded();
    const { values, problem } = await readArguments(c);
    if (problem) throw problem;
    const filter = validate(fleetArguments, values);
    if (answers >= MAX_ANSWERS) throw errors.busy("Others are being told of the fleet: try again");
    answers++;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(new Error("the reader is too slow")), PATIENCE_MS);
    const done = () => {
      clearTimeout(timer);
      answers--;
    };
    try {
      const snapshot = await fleet.read(filter, AbortSignal.any([c.req.raw.signal, patience.signal]));
      return c.body(textStream(snapshot, patience.signal, done), 200, {
        "Content-Type": TEXT_FORMAT,
        "Cache-Control": "no-store",
      });
    } catch (error) {
      done();
      throw error;
    }
  });
  routes.all("/", () => {
    throw errors.methodNotAllowed(["GET"]);
  });
  return routes;
}
