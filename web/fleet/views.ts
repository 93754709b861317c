/** Converts saved views to addresses, and an address to a view. */
import type { SavedViews } from "../api/types.ts";
import type { FleetChoice } from "./choice.ts";
import { comparedText, metricOfTypes } from "./metrics.ts";

export type SavedView = SavedViews["records"][number];

/** The metric of a view. */
export function metricOfView({ statistics, descriptor }: Pick<SavedView, "statistics" | "descriptor">) {
  return metricOfTypes(statistics, descriptor);
}

/** The address of the fleet screen that shows a saved view. */
export function addressOf(view: SavedView): string {
  const query = new URLSearchParams({
    number: metricOfView(view).key,
    ...(view.hostgroup !== null && { group: String(view.hostgroup) }),
    ...(view.order === "asc" && { order: "asc" }),
    count: String(view.results),
  });
  const compare = comparedText({ hosts: view.hosts, services: view.services });
  if (compare !== "") query.set("compare", compare);
  return `/fleet?${query}`;
}

/** The current choice, as the content of a view. */
export function contentOf({ metric, group, order, count, compared }: FleetChoice) {
  return {
    statistics: metric.types,
    descriptor: metric.descriptor ?? "",
    hostgroup: group === "" ? null : Number(group),
    order,
    results: count,
    ...compared,
  };
}
