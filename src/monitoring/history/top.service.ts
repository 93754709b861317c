import { highestSum } from "../../monit/cpu-usage.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { median } from "../../platform/median.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ExceededNumbers } from "../exceeded/exceeded.ts";
import type { MuteLookup } from "../health/muted.ts";
import { distributionOf, FAR, scoreOf, usualOf } from "./fleet-numbers.ts";
import { addedUp, hourlyMeans, lastDay } from "./hourly-means.ts";
import { memberships, serviceNames } from "./latest-of-type.repository.ts";
import { type Latest, LatestOfType, type LatestRequest } from "./latest-of-type.ts";

/** The most hosts whose values of the last day are read: about a millisecond each. */
export const MAX_COURSES = 50;
/** The largest number of hosts listed as far from their group. */
export const MAX_FAR = 50;
/** Stands for all hosts that are in no group. */
const NO_GROUP = 0;

const PERCENT: readonly number[] = Object.values(STATISTIC)
  .filter(({ unit }) => unit === "percent")
  .map(({ code }) => code);

export interface TopRequest extends LatestRequest {
  results: number;
}

/** The order of hosts with the same value: by name, then by id. */
function byName(a: Latest, b: Latest): number {
  if (a.hostnameKey === b.hostnameKey) return a.hostId - b.hostId;
  return a.hostnameKey < b.hostnameKey ? -1 : 1;
}

/** Hosts ranked by one metric: the top of the ranking, the distribution, and the outliers. */
export class Top {
  readonly #latest: LatestOfType;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly mutes: () => MuteLookup,
  ) {
    this.#latest = new LatestOfType(db);
  }

  /** The top of the ranking among the hosts that report and the scope sees, with the distribution of all of them. */
  get(request: TopRequest, scope: Scope) {
    const sign = request.order === "desc" ? -1 : 1;
    const latest = this.#latest.of(request, scope).sort((a, b) => sign * (a.value - b.value) || byName(a, b));
    const first = latest.slice(0, request.results);
    const far = this.#farFromGroup(latest);
    const names = serviceNames(
      this.db,
      [...first, ...far.map(({ latest }) => latest)].map((number) => number.serviceId),
    );
    const shown = ({ hostId, hostname, led, serviceId, descriptor, value, at }: Latest) => ({
      hostid: hostId,
      hostname,
      led,
      serviceid: serviceId,
      servicename: names.get(serviceId) ?? "",
      descriptor,
      value,
      at,
    });
    const values = latest.map(({ value }) => value);
    const exceeded = new ExceededNumbers(this.db);
    const muted = this.mutes();
    const highest = highestSum(request.type);
    return {
      date: this.clock.now(),
      totalRecords: latest.length,
      median: values.length > 0 ? median(values) : null,
      records: first.map((number, i) => ({
        ...shown(number),
        course: i < MAX_COURSES ? this.#course(number, highest) : [],
        exceeded: exceeded.of(number.hostId, names.get(number.serviceId) ?? "", request.type),
        muted: muted(number.hostId, names.get(number.serviceId) ?? null),
      })),
      distribution: distributionOf(
        values,
        request.type.every((type) => PERCENT.includes(type)),
      ),
      far: far.map(({ latest, ...group }) => ({ ...shown(latest), ...group })),
    };
  }

  /** Hourly means of the last day. */
  #course({ hostId, statisticIds }: Latest, highest: number): (number | null)[] {
    const means = hourlyMeans(this.db, hostId, statisticIds, lastDay(this.clock.now()));
    return addedUp([...means.values()], highest);
  }

  /** Hosts whose value is unusual in one of their groups, the farthest first. */
  #farFromGroup(values: readonly Latest[]) {
    const byHost = new Map(values.map((latest) => [latest.hostId, latest]));
    const grouped = new Map<number, Latest[]>();
    const alone = new Set(byHost.keys());
    for (const { hostId, groupId } of memberships(this.db)) {
      const latest = byHost.get(hostId);
      if (!latest) continue;
      alone.delete(hostId);
      const members = grouped.get(groupId);
      if (members) members.push(latest);
      else grouped.set(groupId, [latest]);
    }
    grouped.set(
      NO_GROUP,
      values.filter(({ hostId }) => alone.has(hostId)),
    );
    const farthest = new Map<number, { latest: Latest; groupid: number; median: number; score: number }>();
    for (const [groupid, members] of grouped) {
      const usual = usualOf(members.map(({ value }) => value));
      if (!usual) continue;
      for (const latest of members) {
        const score = scoreOf(latest.value, usual);
        const previous = farthest.get(latest.hostId);
        if (Math.abs(score) >= FAR && Math.abs(score) > Math.abs(previous?.score ?? 0))
          farthest.set(latest.hostId, { latest, groupid, median: usual.median, score });
      }
    }
    return [...farthest.values()]
      .sort((a, b) => Math.abs(b.score) - Math.abs(a.score) || a.latest.hostId - b.latest.hostId)
      .slice(0, MAX_FAR);
  }
}
