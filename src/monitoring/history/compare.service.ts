import { highestSum } from "../../monit/cpu-usage.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import type { Interval } from "../uptime/intervals.ts";
import { type RangeOrDates, reportWindow } from "../uptime/range.ts";
import { hostOfService, statisticsOfHistory } from "./history.repository.ts";
import { type History, type Reporting, refuseTooManyStored } from "./history.service.ts";
import { RAW, type Resolution, startOf } from "./resolutions.ts";

/** The most hosts and services in one comparison: more lines cannot be told apart. */
export const MAX_COMPARED = 12;
/** Fewest reports of a host per step. With fewer, jitter would make empty steps between full ones. */
const MIN_REPORTS_PER_STEP = 2;

export interface CompareRequest extends RangeOrDates {
  hostid: readonly number[];
  serviceid: readonly number[];
  type: readonly number[];
  descriptor?: string | undefined;
  points: number;
}

interface ComparedSubject extends Reporting {
  hostId: number;
  hostname: string;
  statistics: ReturnType<typeof statisticsOfHistory>;
}

/** The points of a comparison. */
interface Grid {
  /** Start of each point, unix seconds. */
  times: number[];
  /** Seconds between two points. */
  step: number;
}

/**
 * The points in a window.
 * @param spacing seconds of which their distance is a multiple
 * @param points how many there are at most, at least 2
 */
function gridOf({ from, to }: Interval, spacing: number, points: number): Grid {
  const gridIn = (steps: number) => {
    const step = Math.max(1, Math.ceil((to - from) / steps / spacing)) * spacing;
    const first = startOf(from, step);
    return {
      step,
      times: Array.from({ length: Math.ceil((to - first) / step) }, (_, i) => first + i * step),
    };
  };
  const grid = gridIn(points);
  // A window that begins within a step touches one more step.
  return grid.times.length > points ? gridIn(points - 1) : grid;
}

/** Adds numbers up in the steps of a time span. */
class Steps {
  readonly #sums: Float64Array;
  readonly #counts: Float64Array;

  constructor(
    private readonly first: number,
    private readonly step: number,
    length: number,
  ) {
    this.#sums = new Float64Array(length);
    this.#counts = new Float64Array(length);
  }

  add(at: number, sum: number, count: number): void {
    const i = Math.floor((at - this.first) / this.step);
    this.#sums[i] = (this.#sums[i] ?? 0) + sum;
    this.#counts[i] = (this.#counts[i] ?? 0) + count;
  }

  meanAt(i: number): number | null {
    const count = this.#counts[i] ?? 0;
    return count === 0 ? null : (this.#sums[i] ?? 0) / count;
  }
}

/** The same metric of several hosts or services over time, at the same points. */
export class Compare {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
    private readonly history: History,
  ) {}

  /** Unknown hosts and services are left out. @throws ApiError 400 */
  get(request: CompareRequest, scope: Scope) {
    const requested = request.hostid.length + request.serviceid.length;
    if (requested === 0) throw errors.missingArgument("hostid", "the hosts to compare, or serviceid");
    if (requested > MAX_COMPARED)
      throw errors.badArgument("hostid", `at most ${MAX_COMPARED} ids, counting those of serviceid`);
    const window = reportWindow(request, this.clock.now(), this.settings.get("timezone"));
    const subjects = this.#subjects(request, scope);
    const resolution = this.history.resolutionFor(window, request.points);
    const stored = subjects.map(
      (subject) => subject.statistics.length * this.history.storedPeriods(window, resolution, subject),
    );
    refuseTooManyStored(stored.reduce((sum, values) => sum + values, 0));
    const poll = Math.max(1, ...subjects.map((subject) => subject.poll));
    const spacing = resolution === RAW ? MIN_REPORTS_PER_STEP * poll : resolution.seconds;
    const grid = gridOf(window, spacing, request.points);
    return {
      datefrom: window.from,
      dateto: window.to,
      resolution: grid.step,
      times: grid.times,
      series: subjects.map((subject) => {
        const [only, ...others] = new Set(subject.statistics.map(({ serviceid }) => serviceid));
        const service = others.length === 0 ? only : undefined;
        return {
          hostid: subject.hostId,
          hostname: subject.hostname,
          serviceid: service ?? 0,
          servicename: subject.statistics.find(({ serviceid }) => serviceid === service)?.servicename ?? "",
          mean: this.#means(subject, window, resolution, grid),
        };
      }),
    };
  }

  #subjects({ hostid, serviceid, type, descriptor }: CompareRequest, scope: Scope): ComparedSubject[] {
    const subject = (hostId: number, only?: number): ComparedSubject[] => {
      const host = findHost(this.db, hostId, scope);
      const filter = { type: [...type], descriptor, serviceid: only };
      const statistics = host ? statisticsOfHistory(this.db, hostId, filter) : [];
      if (!host) return [];
      const { hostname, createdAt, poll } = host;
      return [{ hostId, hostname, createdAt, poll, statistics }];
    };
    const ofService = (id: number) => {
      const hostId = hostOfService(this.db, id);
      return hostId === undefined ? [] : subject(hostId, id);
    };
    return [...hostid.flatMap((id) => subject(id)), ...serviceid.flatMap(ofService)];
  }

  /** The sum over the types; of several services or descriptors, the highest at each point. */
  #means(
    { hostId, statistics }: ComparedSubject,
    window: Interval,
    resolution: Resolution,
    { times, step }: Grid,
  ) {
    const first = times[0] ?? window.from;
    const steps = new Map(statistics.map(({ id }) => [id, new Steps(first, step, times.length)]));
    for (const { at, aggregates } of this.history.periods(hostId, resolution, window, new Set(steps.keys())))
      for (const [id, { sum, count }] of aggregates) steps.get(id)?.add(at, sum, count);
    const highest = highestSum([...new Set(statistics.map(({ type }) => type))]);
    const parts = [
      ...Map.groupBy(statistics, (statistic) => `${statistic.serviceid} ${statistic.descriptor}`).values(),
    ];
    return times.map((_, i) => {
      const sums = parts.flatMap((part) => {
        const means = part.flatMap(({ id }) => steps.get(id)?.meanAt(i) ?? []);
        return means.length === 0
          ? []
          : [
              Math.min(
                highest,
                means.reduce((sum, mean) => sum + mean, 0),
              ),
            ];
      });
      return sums.length === 0 ? null : Math.max(...sums);
    });
  }
}
