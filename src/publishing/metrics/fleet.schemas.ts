import * as v from "valibot";
import { allowing, integer, oneOf, text } from "../../platform/http/validate.ts";
import { FAMILY_NAMES } from "./fleet-families.ts";

const names = v.optional(v.array(text(1, 255)));

/**
 * Which series are wanted. Each argument leaves those that have one of its values, so that a series without it, as one of
 * a host when services are asked for, is left out.
 */
export const fleetArguments = v.object({
  host: names,
  hostgroup: names,
  service: names,
  servicetype: v.optional(v.array(integer(0, 8))),
  family: v.optional(v.array(allowing(oneOf(FAMILY_NAMES), "the name of a metric family"))),
});

export type FleetFilter = v.InferOutput<typeof fleetArguments>;
