/** Named codes as schemas: each code is a constant with its name as title. */

import { EVENT_TYPE_NAMES, SERVICE_TYPE_NAMES } from "../../monit/event-types.ts";
import { PREDICTED, STATISTIC } from "../../monit/statistic-types.ts";
import type { Schema } from "./schemas.ts";

type Codes = readonly (readonly [number, string])[];

function enumeration(title: string, description: string, codes: Codes): Schema {
  return {
    title,
    description,
    type: "integer",
    oneOf: codes.map(([code, name]) => ({ const: code, title: name })),
  };
}

/**
 * The schemas of the codes that replies contain as numbers, by the names that the API description gives them.
 */
export function codeSchemas(): Record<string, Schema> {
  return {
    ServiceType: enumeration("Service types", "Kinds of services that agents check.", [
      ...SERVICE_TYPE_NAMES.entries(),
    ]),
    EventType: enumeration(
      "Event types",
      "Classes of events. Each is a bit, so that a sum stands for several.",
      EVENT_TYPE_NAMES,
    ),
    StatisticType: enumeration(
      "Statistic types",
      "What a statistic measures, with its unit. A response time of -1 is a failed test; the value of a text is 0.",
      [...Object.values(STATISTIC), ...Object.values(PREDICTED)]
        .toSorted((a, b) => a.code - b.code)
        .map(({ code, name, unit }) => [code, unit === "none" ? name : `${name}, ${unit}`]),
    ),
  };
}
