/**
 * The latest value of each host for some types of statistics. It shows, for example, which host has the fullest disk.
 */
import { highestSum } from "../../monit/cpu-usage.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { LruMap } from "../../platform/lru-map.ts";
import type { Db } from "../../platform/storage/open.ts";
import { pastOf } from "../past/past.ts";
import { isUnknownBelowZero } from "./known-values.ts";
import { newestPacked } from "./latest.ts";
import {
  hostsWithPackedSamples,
  idsOfDeletedHosts,
  type LatestSample,
  latestSamples,
  layoutsOf,
  statisticsOfTypes,
} from "./latest-of-type.repository.ts";
import { unpackValues } from "./sample-values.ts";

/** The most sets of types whose positions in samples are kept in memory. */
const KEPT = 8;
/** The most layouts whose positions are kept for each set. */
const LAYOUTS_KEPT = 100_000;

interface Statistic {
  id: number;
  serviceId: number;
  descriptor: string;
}

/** A statistic and its position in a sample. */
interface SamplePosition {
  statistic: Statistic;
  index: number;
}

/** The latest value of a host. */
export interface Latest {
  hostId: number;
  hostname: string;
  hostnameKey: string;
  led: number;
  serviceId: number;
  descriptor: string;
  /** The statistics whose values are added: one of each type. */
  statisticIds: number[];
  value: number;
  /** Unix seconds. */
  at: number;
}

/** Which values of hosts are requested. */
export interface LatestRequest {
  /** Values of several types of one service are added up, such as the parts of CPU usage. */
  type: readonly number[];
  descriptor?: string | undefined;
  hostgroupid?: readonly number[] | undefined;
  order: "asc" | "desc";
}

/**
 * A set of ids with one bit each. Finding a few statistics among the millions of a fleet takes a tenth of the time of
 * lookups in a map.
 */
class IdSet {
  #words = new Uint32Array(1024);

  add(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (id & 31));
  }

  has(id: number): boolean {
    return ((this.#words[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;
  }
}

/**
 * The positions of the statistics of some types in samples. Layouts and statistics never change, and new ones are only
 * added. A restored host brings back statistics with old ids, so a restoration makes this outdated.
 */
class Places {
  readonly #statistics = new Map<number, Statistic>();
  readonly #ids = new IdSet();
  readonly #places = new LruMap<number, SamplePosition[]>(LAYOUTS_KEPT);
  #newest = 0;

  constructor(private readonly types: readonly number[]) {}

  /** By id of the layout. */
  of(db: Db, layoutIds: ReadonlySet<number>): ReadonlyMap<number, SamplePosition[]> {
    const unknown = [...layoutIds].filter((id) => !this.#places.has(id));
    if (unknown.length === 0) return this.#places;
    this.learn(db);
    for (const { id, statisticIds } of layoutsOf(db, unknown)) {
      const places: SamplePosition[] = [];
      for (let index = 0; index < statisticIds.length; index++) {
        const statisticId = statisticIds[index] ?? 0;
        if (!this.#ids.has(statisticId)) continue;
        const statistic = this.#statistics.get(statisticId);
        if (statistic) places.push({ statistic, index });
      }
      this.#places.set(id, places);
    }
    return this.#places;
  }

  /** The statistics of these types, by id. */
  learn(db: Db): ReadonlyMap<number, Statistic> {
    for (const statistic of statisticsOfTypes(db, this.types, this.#newest)) {
      this.#statistics.set(statistic.id, statistic);
      this.#ids.add(statistic.id);
      this.#newest = Math.max(this.#newest, statistic.id);
    }
    return this.#statistics;
  }
}

/** The value of a service: the sum over the types. */
interface Sum {
  serviceId: number;
  descriptor: string;
  statisticIds: number[];
  value: number;
}

/** The highest or the lowest value of a host; undefined if it has none. @param highest the highest sum */
function best(
  places: readonly SamplePosition[],
  valueAt: (index: number) => number,
  { descriptor, order, type }: LatestRequest,
  highest: number,
): Sum | undefined {
  const sums: Sum[] = [];
  for (const { statistic, index } of places) {
    const { id, serviceId, descriptor: ownDescriptor } = statistic;
    const value = valueAt(index);
    const isUnknown = value < 0 && type.some(isUnknownBelowZero);
    if (Number.isNaN(value) || isUnknown || (descriptor !== undefined && ownDescriptor !== descriptor))
      continue;
    const previous = sums.find((sum) => sum.serviceId === serviceId && sum.descriptor === ownDescriptor);
    if (previous) {
      previous.value += value;
      previous.statisticIds.push(id);
    } else sums.push({ serviceId, descriptor: ownDescriptor, statisticIds: [id], value });
  }
  const sign = order === "desc" ? -1 : 1;
  for (const sum of sums) sum.value = Math.min(highest, sum.value);
  return sums.sort((a, b) => sign * (a.value - b.value) || inOrder(a, b))[0];
}

/** The order of equal values of a host, whichever order they were read in. */
function inOrder(a: Sum, b: Sum): number {
  return a.serviceId - b.serviceId || Math.min(...a.statisticIds) - Math.min(...b.statisticIds);
}

/** The latest value of each host that reports. */
export class LatestOfType {
  readonly #places = new LruMap<string, Places>(KEPT);
  #deleted: ReadonlySet<number> = new Set();

  constructor(private readonly db: Db) {}

  /** One value for each host that has any: the highest, or the lowest if the order is "asc". */
  of(request: LatestRequest, scope: Scope): Latest[] {
    const { db } = this;
    pastOf(db)?.takeValues(request.type);
    this.#forgetAfterRestoration();
    const places = this.#placesOf(request.type);
    const rows = latestSamples(db, scope, request.hostgroupid);
    const positions = places.of(db, new Set(rows.map(({ layoutId }) => layoutId)));
    const highest = highestSum(request.type);
    const latest: Latest[] = [];
    for (const row of rows) {
      const number = best(positions.get(row.layoutId) ?? [], valuesOf(row), request, highest);
      const { hostId, hostname, hostnameKey, led, at } = row;
      if (number) latest.push({ hostId, hostname, hostnameKey, led, at, ...number });
    }
    return [...latest, ...this.#packed(request, places, scope)];
  }

  /**
   * The values of hosts whose last hour is already packed: after each full hour, those that report only every few
   * minutes. A host takes about a tenth of a millisecond.
   */
  #packed(request: LatestRequest, places: Places, scope: Scope): Latest[] {
    const hosts = hostsWithPackedSamples(this.db, scope, request.hostgroupid);
    if (hosts.length === 0) return [];
    const statistics = places.learn(this.db);
    const highest = highestSum(request.type);
    return hosts.flatMap((host) => {
      const row = newestPacked(this.db, host.hostId, statistics);
      if (!row) return [];
      const positions = Array.from(row.ids).flatMap((id, index) => {
        const statistic = statistics.get(id);
        return statistic ? [{ statistic, index }] : [];
      });
      const number = best(positions, (index) => row.values[index] ?? Number.NaN, request, highest);
      return number ? [{ ...host, at: row.at, ...number }] : [];
    });
  }

  #forgetAfterRestoration(): void {
    const deleted = idsOfDeletedHosts(this.db);
    if (!this.#deleted.isSubsetOf(deleted)) this.#places.clear();
    this.#deleted = deleted;
  }

  #placesOf(types: readonly number[]): Places {
    const key = types.toSorted((a, b) => a - b).join(" ");
    const places = this.#places.get(key) ?? new Places(types);
    this.#places.set(key, places);
    return places;
  }
}

/** Reads the values of a sample by their positions. */
function valuesOf({ values }: LatestSample): (index: number) => number {
  const numbers = unpackValues(values);
  return (index) => numbers[index] ?? Number.NaN;
}
