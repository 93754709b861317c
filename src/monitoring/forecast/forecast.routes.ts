import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import type { ForecastQueries } from "./forecast.queries.ts";
import {
  forecastGetArguments,
  forecastGetReply,
  forecastListArguments,
  forecastListReply,
} from "./forecast.schemas.ts";

/** Operations that read forecasts, of the hosts that the caller sees. */
export function forecastOperations(queries: ForecastQueries): Operation[] {
  return [
    query("/reports/forecasts/list", {
      access: "session",
      summary: "Disks, inodes and memory that will be full, as calculated once a day, soonest first",
      request: forecastListArguments,
      response: forecastListReply,
      handle: (args, c) => queries.forecastList(turnOf(c), args, scopeOf(c)),
    }),
    query("/reports/forecasts/get", {
      access: "session",
      summary: "When disks, inodes and memory of a host will be full, calculated now",
      request: forecastGetArguments,
      response: forecastGetReply,
      errors: [noSuch("host")],
      handle: (args, c) => queries.forecastOfHost(turnOf(c), args, scopeOf(c)),
    }),
  ];
}
