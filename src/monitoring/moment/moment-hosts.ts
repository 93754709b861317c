/** Adds hosts to a moment database, in the state that follows from what was true then. */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { hosts } from "../../platform/storage/schema.ts";
import { tally } from "../health/health.ts";
import type { ExcludedReason } from "../uptime/excluded-time.repository.ts";
import { addRows, readRows, readValues } from "./moment-rows.ts";
import { type Composition, ofHosts } from "./moment-scope.ts";
import { hostsThen } from "./past-configuration.ts";
import { eventsOfHosts } from "./past-counts.repository.ts";
import type { PastServices } from "./past-services.ts";
import { pastHostState } from "./past-state.ts";

/** Why the time of hosts was excluded at the moment, by host. Exclusions of single services are left out. */
function excludedHosts(moment: Composition): Map<number, ExcludedReason> {
  const { condition, parameters } = ofHosts(moment, "host_id");
  const rows = readValues(
    moment.history,
    `select host_id, reason from excluded_intervals
     where service_id is null and host_id is not null and started_at <= ?1
       and (ended_at is null or ended_at > ?1)${condition}`,
    moment.at,
    ...parameters,
  );
  return new Map(rows.map(([host, reason]) => [Number(host), reason as ExcludedReason]));
}

/** Adds the hosts that existed. @returns the ids of those that were down */
export function addHosts(moment: Composition, services: PastServices): number[] {
  const { db, history, at, recorded } = moment;
  const { condition, parameters } = ofHosts(moment, "id");
  const stored = readRows(
    history,
    `select * from hosts where created_at <= ?1${condition}`,
    at,
    ...parameters,
  );
  const rows = hostsThen(moment, stored);
  const excluded = excludedHosts(moment);
  const down = new Set(
    services.open.filter(({ eventType }) => eventType === HEARTBEAT).map(({ hostId }) => hostId),
  );
  const byHost = Map.groupBy(services.states.values(), ({ hostId }) => hostId);
  const totals = new Map(rows.map(({ id, events: total }) => [Number(id), Number(total)]));
  const counts = eventsOfHosts(history, totals, at);
  const existing = rows.filter(({ id }) => excluded.get(Number(id)) !== "deleted");
  addRows(
    db,
    hosts,
    existing.map((row) => {
      const id = Number(row.id);
      const present = (byHost.get(id) ?? []).filter(({ vanishedAt }) => vanishedAt === null);
      const leds = present.map((service) => services.healthOf(service).led);
      const lastmodified = Number(row.lastmodified);
      const status = at >= recorded ? Number(row.status) : null;
      const state = { exclusion: excluded.get(id), isDown: down.has(id), status, lastmodified };
      return {
        ...row,
        ...pastHostState(state, tally(leds)),
        deadline: at,
        cpu: -1,
        mem: -1,
        events: counts.get(id) ?? 0,
      };
    }),
  );
  db.$client.run(
    `insert into host_counts (status, stopped, heartbeat, led, n)
     select status, stopped, heartbeat, led, count(*) from hosts group by status, stopped, heartbeat, led`,
  );
  return [...down];
}
