/** Which hosts a filter selected at a moment. */
import type { Db } from "../../platform/storage/open.ts";
import { idsIn } from "../../platform/storage/words.ts";
import type { HostSelection, Past } from "../past/past.ts";
import { hostsTagged } from "../tags/tags.repository.ts";
import { asParameter, readValues } from "./moment-rows.ts";

const idsOf = (rows: readonly unknown[][]) => new Set(rows.map(([id]) => Number(id)));

function membersOf(db: Db, groups: readonly number[]): Set<number> {
  return idsOf(
    readValues(
      db,
      `select host_id from host_group_members where group_id in ${idsIn("?")}`,
      asParameter(groups),
    ),
  );
}

const isSame = (a: ReadonlySet<number>, b: ReadonlySet<number>) => a.size === b.size && a.isSubsetOf(b);

/** Whether hosts that did not exist at the moment have stored events from before it. */
function hasEventsOfOthers({ history, at }: Past, existing: ReadonlySet<number>): boolean {
  const others = idsOf(readValues(history, "select id from hosts")).difference(existing);
  if (others.size === 0) return false;
  const rows = readValues(
    history,
    `select h.id from hosts h where h.id in ${idsIn("?1")}
       and exists (select 1 from events e where e.host_id = h.id and e.date <= ?2) limit 1`,
    asParameter(others),
    at,
  );
  return rows.length > 0;
}

/**
 * The hosts that a filter selected at a moment; undefined if it selects the same ones now.
 * @param db the moment database
 */
export function hostsSelected(db: Db, past: Past, { hostid, hostgroupid, tag }: HostSelection) {
  const existing = idsOf(readValues(db, "select id from hosts"));
  const parts: [then: Set<number>, now: Set<number>][] = [];
  if (hostgroupid) parts.push([membersOf(db, hostgroupid), membersOf(past.history, hostgroupid)]);
  if (tag) parts.push([new Set(hostsTagged(db, tag)), new Set(hostsTagged(past.history, tag))]);
  const isAsNow = parts.every(([then, now]) => isSame(then, now)) && !hasEventsOfOthers(past, existing);
  if (isAsNow) return undefined;
  const selected = parts.reduce((hosts, [then]) => hosts.intersection(then), existing);
  const ids = [...(hostid ? selected.intersection(new Set(hostid)) : selected)];
  // No host has id 0.
  return ids.length === 0 ? [0] : ids;
}
