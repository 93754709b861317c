/** Named codes as schemas: each code is a constant with its name as title. */

import { eventTypeNames, serviceTypeName } from "../../monit/event-types.ts";
import { PREDICTED, STATISTIC } from "../../monit/statistic-types.ts";
import type { Schema } from "./schemas.ts";

/** Number of service types, and of event type bits, that agents are known to send. */
const SERVICE_TYPES = 9;
const EVENT_BITS = 31;

function enumeration(title: string, description: string, codes: readonly [number, string][]): Schema {
  return {
    title,
    description,
    type: "integer",
    oneOf: codes.map(([code, name]) => ({ const: code, title: name })),
  };
}

function upTo<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

export function codeSchemas(): Record<string, Schema> {
  return {
    ServiceType: enumeration(
      "Service types",
      "Kinds of services that agents check.",
      upTo(SERVICE_TYPES, (code) => [code, serviceTypeName(code)]),
    ),
    EventType: enumeration(
      "Event types",
      "Classes of events. Each is a bit, so that a sum stands for several.",
      upTo(EVENT_BITS, (i) => [2 ** i, eventTypeNames(2 ** i).join(", ")]),
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
