/** Saved views as addresses, and the address as a view. */
import type { SavedViews } from "../api/types.ts";
import type { FleetChoice } from "./choice.ts";
import { comparedText, NUMBERS, numberOf } from "./numbers.ts";

export type SavedView = SavedViews["records"][number];

/** The number of a view: one of the list, or the first of its types. */
export function numberOfView({ type, descriptor }: Pick<SavedView, "type" | "descriptor">) {
  const key = NUMBERS.find(
    (one) => one.types.join() === type.join() && (one.descriptor ?? "") === (descriptor ?? ""),
  )?.key;
  return numberOf(key ?? `type-${type[0]}`);
}

export function addressOf(view: SavedView): string {
  const query = new URLSearchParams({
    number: numberOfView(view).key,
    ...(view.hostgroupid !== undefined && { group: String(view.hostgroupid) }),
    ...(view.order === "asc" && { order: "asc" }),
    count: String(view.results),
  });
  const compare = comparedText({ hosts: view.hostid, services: view.serviceid });
  if (compare !== "") query.set("compare", compare);
  return `/fleet?${query}`;
}

/** The arguments that save what is shown. */
export function contentOf({ number, group, order, count, compared }: FleetChoice) {
  return {
    type: number.types,
    descriptor: number.descriptor,
    hostgroupid: group || undefined,
    order,
    results: count,
    hostid: compared.hosts,
    serviceid: compared.services,
  };
}
