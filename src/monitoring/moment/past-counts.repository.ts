/** How many of the stored events are dated at or before a moment. */
import { DAY } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { idsIn, indexName } from "../../platform/storage/words.ts";
import { asParameter, readValues } from "./moment-rows.ts";

/** Whether most of the stored events are older than the moment. */
function isMostOlder(db: Db, at: number): boolean {
  const [row] = readValues(
    db,
    "select sum(case when day < ?1 then n else 0 end), sum(n) from event_counts where scope = 0",
    Math.floor(at / DAY),
  );
  return 2 * Number(row?.[0] ?? 0) >= Number(row?.[1] ?? 0);
}

/**
 * The number of events of hosts, by host. Counts the events after the moment, or those before it, whichever are fewer.
 * @param totals number of the stored events of each host
 */
export function eventsOfHosts(db: Db, totals: ReadonlyMap<number, number>, at: number): Map<number, number> {
  const isOlder = isMostOlder(db, at);
  const rows = readValues(
    db,
    `select h.id, (select count(*) from events e ${indexName("events_by_host_and_date")}
       where e.host_id = h.id and e.date ${isOlder ? ">" : "<="} ?2)
     from hosts h where h.id in ${idsIn("?1")}`,
    asParameter(totals.keys()),
    at,
  );
  return new Map(
    rows.map(([id, n]) => [Number(id), isOlder ? (totals.get(Number(id)) ?? 0) - Number(n) : Number(n)]),
  );
}

/** The number of events of the services of hosts, by host and name: "HOST NAME". */
export function eventsOfServices(db: Db, hostIds: readonly number[], at: number): Map<string, number> {
  const rows = readValues(
    db,
    `select e.host_id, e.name_id, count(*) from events e ${indexName("events_of_check_by_date")}
     where e.host_id in ${idsIn("?1")} and e.date <= ?2 group by e.host_id, e.name_id`,
    asParameter(hostIds),
    at,
  );
  return new Map(rows.map(([host, name, n]) => [`${host} ${name}`, Number(n)]));
}
