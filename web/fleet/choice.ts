/** The choice in the address of the fleet screen. */
import { comparedOf, metricOf } from "./metrics.ts";

export const COUNTS = ["10", "20", "50"] as const;
const INITIAL_COUNT = "20";

/** The choice in an address. A part that is absent or wrong has its initial value. */
export function fleetChoice(query: URLSearchParams) {
  return {
    metric: metricOf(query.get("number")),
    group: query.get("group") ?? "",
    order: query.get("order") === "asc" ? "asc" : "desc",
    count: COUNTS.find((count) => count === query.get("count")) ?? INITIAL_COUNT,
    compared: comparedOf(query.get("compare")),
  } as const;
}

export type FleetChoice = ReturnType<typeof fleetChoice>;
