/** CPU and memory usage of hosts, from the statistics of their system services. */
import { SERVICE_TYPE } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { USAGE_TYPES, usageKind, usageOf } from "../ingest/host-facts.ts";
import { asParameter, readValues } from "./moment-rows.ts";

export interface SystemStatistic {
  id: number;
  type: number;
}

/** The statistics from which usage is calculated, by host. */
export function systemStatistics(db: Db, hostIds: readonly number[]): Map<number, SystemStatistic[]> {
  const rows = readValues(
    db,
    `select s.host_id, t.id, t.type from services s join statistics t on t.service_id = s.id
     where s.host_id in ${idsIn("?1")} and s.type = ${SERVICE_TYPE.system} and t.type in ${idsIn("?2")} order by t.id`,
    asParameter(hostIds),
    asParameter(USAGE_TYPES),
  );
  const byHost = Map.groupBy(rows, ([host]) => Number(host));
  return new Map(
    [...byHost].map(([host, of]) => [
      host,
      of.map(([, id, type]) => ({ id: Number(id), type: Number(type) })),
    ]),
  );
}

/**
 * CPU and memory usage from the values of some statistics, percent; -1 if unknown.
 * @param values of the statistics, in their order; NaN: none
 */
export function usageAt(listed: readonly SystemStatistic[], values: readonly number[]) {
  const of = (kind: "cpu" | "mem") =>
    listed.flatMap(({ type }, i) => {
      const value = values[i] ?? Number.NaN;
      return usageKind(type) === kind && !Number.isNaN(value) ? [value] : [];
    });
  const { cpu, mem } = usageOf(of("cpu"), of("mem"));
  return { cpu, mem };
}
