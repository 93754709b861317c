/** The orders in which hosts can be listed. */
import type { HostStatus } from "../api/types.ts";
import { severity } from "../text/host-conditions.ts";
import type { Sort } from "../ui/table.tsx";

type Order = (a: HostStatus, b: HostStatus) => number;

/** One collator for all comparisons: many times faster than localeCompare. */
const { compare } = new Intl.Collator();
const byName: Order = (a, b) => compare(a.hostname, b.hostname) || a.id - b.id;

/** Worst first, then by name. */
export const worstFirst: Order = (a, b) => severity(a) - severity(b) || byName(a, b);

/** By the key of the column. */
const ORDERS: Readonly<Record<string, Order>> = {
  led: worstFirst,
  name: byName,
  cpu: (a, b) => a.cpu - b.cpu || byName(a, b),
  mem: (a, b) => a.mem - b.mem || byName(a, b),
  seen: (a, b) => a.lastmodified - b.lastmodified || byName(a, b),
};

/** Values by host id, for columns that are not in the list of hosts. */
export type Ranking = ReadonlyMap<number, number>;

function byRanking(ranking: Ranking): Order {
  const value = ({ id }: HostStatus) => ranking.get(id) ?? -1;
  return (a, b) => value(a) - value(b) || byName(a, b);
}

/** The hosts in the order of a column; worst first if there is no such column. */
export function inOrder(
  hosts: readonly HostStatus[],
  { key, dir }: Sort,
  ranking?: Ranking,
): readonly HostStatus[] {
  const order = ranking ? byRanking(ranking) : (ORDERS[key] ?? worstFirst);
  return hosts.toSorted(dir === "asc" ? order : (a, b) => order(b, a));
}
