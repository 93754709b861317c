/** Adds numbers to a moment database: usage of hosts, and the last values of statistics. */
import { transaction } from "../../platform/storage/open.ts";
import { sampleLayouts, samples, services, statistics } from "../../platform/storage/schema.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { HOST_STATUS, hostStatusText, tally } from "../health/health.ts";
import { packValues } from "../history/sample-values.ts";
import { addRows, asParameter, readRows, readValues, rowsWith, type StoredRow } from "./moment-rows.ts";
import type { Composition } from "./moment-scope.ts";
import type { MomentServices } from "./moment-services.ts";
import { type SystemStatistic, systemStatistics, usageAt } from "./past-usage.ts";
import { lastValues, rowAt } from "./past-values.ts";

/**
 * Dates no sample later than the last message of its host. Means are dated by the end of their period, and a value
 * after the last message would count as one from before the clock was set back.
 */
const DATED_BY_MESSAGE = `update samples set at =
  min(at, coalesce((select lastmodified from hosts where hosts.id = samples.host_id), at))`;

/**
 * Takes the last values that were reported by the moment. `takeTypes` replaces those of the previous types.
 */
export class MomentValues {
  /** The types whose values were added. */
  #types = "";
  #layouts = 0;

  constructor(
    private readonly moment: Composition,
    private readonly services: MomentServices,
  ) {}

  /** Takes CPU and memory usage, and the time of the last message. @param hostIds undefined: of all hosts */
  takeUsage(hostIds?: readonly number[]): void {
    const { db, history, at } = this.moment;
    const ids = hostIds ?? readValues(db, "select id from hosts").map(([id]) => Number(id));
    const ofHosts = systemStatistics(history, ids);
    const idsOf = (listed: readonly SystemStatistic[]) => listed.map(({ id }) => id);
    const last = lastValues(history, at, new Map(ids.map((id) => [id, idsOf(ofHosts.get(id) ?? [])])));
    const update = db.$client.prepare(
      `update hosts set cpu = ?1, mem = ?2, lastmodified = ?3, status_text = ?4,
         agent_uptime = case when agent_uptime > lastmodified - ?3 then agent_uptime - (lastmodified - ?3) else 0 end
         where id = ?5`,
    );
    const rows = readRows(
      db,
      `select id, lastmodified, status_text, heartbeat, status, stopped from hosts where id in ${idsIn("?")}`,
      asParameter(ids),
    );
    transaction(db, () => {
      for (const row of rows) {
        const id = Number(row.id);
        const listed = ofHosts.get(id) ?? [];
        const lastValue = last.get(id);
        const { cpu, mem } = usageAt(listed, lastValue?.values ?? []);
        const stored = Number(row.lastmodified);
        const lastmodified = stored <= at ? stored : (lastValue?.at ?? at);
        update.run(cpu, mem, lastmodified, statusTextOf(row, lastmodified), id);
      }
    });
  }

  /** Takes the last values of some types of statistics of all hosts. */
  takeTypes(types: readonly number[]): void {
    const key = types.toSorted((a, b) => a - b).join(" ");
    if (this.#types === key) return;
    this.#types = key;
    transaction(this.moment.db, () => this.#replace(types));
  }

  #replace(types: readonly number[]): void {
    const { db, history, at } = this.moment;
    const rows = readRows(
      history,
      `select t.*, s.host_id from statistics t join services s on s.id = t.service_id
       where t.type in ${idsIn("?1")} and t.text is null and s.created_at <= ?2`,
      asParameter(types),
      at,
    );
    const byHost = Map.groupBy(rows, ({ host_id }) => Number(host_id));
    addRows(
      db,
      statistics,
      rows.map(({ host_id: _, ...row }) => row),
    );
    const serviceIds = new Set(rows.map(({ service_id }) => Number(service_id)));
    this.services.add(rowsWith(history, services, "id", serviceIds));
    db.$client.run("delete from samples");
    const reporting = readValues(
      db,
      `select id from hosts where heartbeat = 1 and stopped = 0 and status <> ${HOST_STATUS.ignored}`,
    ).map(([id]) => Number(id));
    const wanted = new Map(
      reporting.flatMap((hostId) => {
        const listed = byHost.get(hostId);
        return listed ? [[hostId, listed.map(({ id }) => Number(id))]] : [];
      }),
    );
    for (const [hostId, lastValue] of lastValues(history, at, wanted))
      this.#addSample(
        hostId,
        lastValue.at,
        Uint32Array.from(wanted.get(hostId) ?? []),
        Float64Array.from(lastValue.values),
      );
    db.$client.run(DATED_BY_MESSAGE);
  }

  /** Takes the statistics of some hosts, and their last values. */
  takeHosts(hostIds: readonly number[]): void {
    const { db, history, at } = this.moment;
    transaction(db, () => {
      this.services.take(hostIds);
      const rows = readRows(
        history,
        `select t.* from services s join statistics t on t.service_id = s.id
         where s.host_id in ${idsIn("?1")} and t.text is null`,
        asParameter(hostIds),
      );
      addRows(db, statistics, rows);
      for (const hostId of hostIds) {
        const row = rowAt(history, hostId, at);
        if (row) this.#addSample(hostId, row.at, row.ids, row.values);
      }
      db.$client.run(DATED_BY_MESSAGE);
    });
    this.takeUsage(hostIds);
  }

  #addSample(hostId: number, at: number, ids: Uint32Array, values: Float64Array): void {
    const { db } = this.moment;
    const id = ++this.#layouts;
    const statisticIds = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
    addRows(db, sampleLayouts, [{ id, host_id: hostId, statistic_ids: statisticIds }]);
    addRows(db, samples, [{ host_id: hostId, layout_id: id, at, values: packValues(values) }]);
  }
}

/** The text of a host that is down names its last report. */
function statusTextOf(row: StoredRow, lastmodified: number): string {
  if (Number(row.heartbeat) !== 0 || Number(row.stopped) !== 0 || Number(row.status) === HOST_STATUS.ignored)
    return String(row.status_text);
  const health = { status: Number(row.status), stopped: false, heartbeat: 0, lastmodified };
  return hostStatusText(health, tally([]));
}
