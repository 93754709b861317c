import * as v from "valibot";
import { serviceType } from "../../monitoring/health/service-type.schemas.ts";
import { tagFilter } from "../../monitoring/tags/tags.schemas.ts";
import { allowing, oneOf, text } from "../../platform/http/validate.ts";
import { FAMILY_NAMES } from "./fleet-families.ts";

const names = v.optional(v.array(text(1, 255)));

/**
 * Selects series. Each argument keeps the series whose label has one of its values. A series without that label is
 * left out: selecting services, for example, leaves out series about hosts.
 */
export const fleetArguments = v.object({
  host: names,
  hostgroup: names,
  tag: tagFilter("hosts"),
  service: names,
  servicetype: v.optional(v.array(serviceType)),
  family: v.optional(v.array(allowing(oneOf(FAMILY_NAMES), "the name of a metric family"))),
});

export type FleetFilter = v.InferOutput<typeof fleetArguments>;
