import { CPU_PARTS, highestSum } from "../../monit/cpu-usage.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { LruMap } from "../../platform/lru-map.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ExceededNumbers } from "../exceeded/exceeded.ts";
import { statisticsOfHistory } from "../history/history.repository.ts";
import { addedUp, hourlyMeans, lastDay } from "../history/hourly-means.ts";
import { latestValues } from "../history/latest.ts";
import { existingHosts } from "../hosts/hosts.repository.ts";
import { Uptime } from "../uptime/uptime.service.ts";

/** Half hours of the heartbeat bar. */
export const BEATS = 48;
const TYPES = [...CPU_PARTS, STATISTIC.load.code, STATISTIC.memoryPercent.code, STATISTIC.spacePercent.code];

const toTenths = (value: number | null) => (value === null ? null : Math.round(10 * value) / 10);

/** Longest time that the means of a host are kept, seconds. Hourly means change slowly. */
const FRESH_SECONDS = 300;
/** The most hosts whose means are kept. */
const HOSTS_KEPT = 2000;

interface Means {
  at: number;
  /** The ids of their statistics, joined by spaces. */
  ids: string;
  byId: ReadonlyMap<number, Float64Array>;
}

/** What a row of a list of hosts shows of the last 24 hours, for several hosts at once. */
export class Glance {
  readonly #uptime: Uptime;
  readonly #means = new LruMap<number, Means>(HOSTS_KEPT);

  constructor(
    private readonly db: Db,
    settings: SettingsReader,
    private readonly clock: Clock,
  ) {
    this.#uptime = new Uptime(db, settings, clock);
  }

  /** Uptime, heartbeat bar and values of the requested hosts that the scope sees, in the order of the request. */
  of(requested: readonly number[], scope: Scope) {
    const existing = existingHosts(this.db, requested, scope);
    const ids = [...new Set(requested)].filter((id) => existing.has(id));
    const now = this.clock.now();
    const window = { from: now - DAY, to: now };
    const beats = this.#uptime.beats(ids, window, BEATS);
    const uptimes = this.#uptime.recent(ids, DAY);
    const exceeded = new ExceededNumbers(this.db);
    const records = ids.map((id) => ({
      ...this.#values(id, now, exceeded),
      uptime: uptimes.get(id) ?? -1,
      beats: beats.get(id) ?? [],
    }));
    return { datefrom: window.from, dateto: window.to, records };
  }

  #values(hostId: number, now: number, exceeded: ExceededNumbers) {
    const latest = latestValues(this.db, hostId);
    // With a vanished service, such as the system under its old name, values would count twice.
    const statistics = statisticsOfHistory(this.db, hostId, { type: TYPES, isPresent: true }).map(
      (statistic) => ({ ...statistic, value: latest.get(statistic.id) ?? -1 }),
    );
    const ofType = (type: number) => statistics.filter((statistic) => statistic.type === type);
    const load = ofType(STATISTIC.load.code).find(({ descriptor }) => descriptor === "1min");
    const fullest = ofType(STATISTIC.spacePercent.code).toSorted((a, b) => b.value - a.value)[0];
    const memory = ofType(STATISTIC.memoryPercent.code);
    const cpu = statistics.filter(({ type }) => CPU_PARTS.includes(type));
    const drawn = [...cpu, ...memory, ...(load ? [load] : []), ...(fullest ? [fullest] : [])].map(
      ({ id }) => id,
    );
    const means = this.#meansOf(hostId, drawn, now);
    const hourly = (of: readonly { id: number; type: number }[]) => {
      const series = of.flatMap(({ id }) => means.byId.get(id) ?? []);
      return addedUp(series, highestSum(of.map(({ type }) => type))).map(toTenths);
    };
    const levelOf = (of: readonly { servicename: string; type: number }[]) =>
      Math.max(0, ...of.map(({ servicename, type }) => exceeded.of(hostId, servicename, [type])));
    return {
      id: hostId,
      load: load?.value ?? -1,
      disk: fullest?.value ?? -1,
      diskname: fullest?.servicename ?? "",
      cpu: hourly(cpu),
      mem: hourly(memory),
      loads: hourly(load ? [load] : []),
      diskusage: hourly(fullest ? [fullest] : []),
      exceeded: {
        cpu: levelOf(cpu),
        mem: levelOf(memory),
        disk: levelOf(fullest ? [fullest] : []),
        load: levelOf(load ? [load] : []),
      },
    };
  }

  #meansOf(hostId: number, drawn: readonly number[], now: number): Means {
    const ids = drawn.join(" ");
    const previous = this.#means.get(hostId);
    if (previous?.ids === ids && Math.abs(now - previous.at) < FRESH_SECONDS) return previous;
    const means = { at: now, ids, byId: hourlyMeans(this.db, hostId, drawn, lastDay(now)) };
    this.#means.set(hostId, means);
    return means;
  }
}
