/** The choice in the address of the fleet screen. */
import { wholeNumber } from "../state/router.ts";
import { comparedOf, metricOf } from "./metrics.ts";

/** Numbers of hosts to choose from. A view can have any other up to the last of them. */
export const COUNTS = [10, 20, 50] as const;
const INITIAL_COUNT = 20;

function countIn(query: URLSearchParams): number {
  const count = wholeNumber(query.get("count"));
  return count > 0 && count <= Math.max(...COUNTS) ? count : INITIAL_COUNT;
}

/** The choice in an address. A part that is absent or wrong has its initial value. */
export function fleetChoice(query: URLSearchParams) {
  return {
    metric: metricOf(query.get("number")),
    group: query.get("group") ?? "",
    order: query.get("order") === "asc" ? "asc" : "desc",
    count: countIn(query),
    compared: comparedOf(query.get("compare")),
  } as const;
}

export type FleetChoice = ReturnType<typeof fleetChoice>;
