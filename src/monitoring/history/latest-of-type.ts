/** The latest number of each host by the types of statistics: which host has the fullest disk, say. */
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { LruMap } from "../../platform/lru-map.ts";
import type { Db } from "../../platform/storage/open.ts";
import { latestRow } from "./latest.ts";
import {
  hostsWithPackedSamples,
  type LatestSample,
  latestSamples,
  layoutsOf,
  statisticsOfTypes,
} from "./latest-of-type.repository.ts";

/** Sets of types whose places in samples are remembered. */
const KEPT = 8;
/** Layouts whose places are remembered for each of them. */
const LAYOUTS_KEPT = 100_000;
/** Hosts without an unpacked sample whose last block is decoded; each takes about half a millisecond. */
const MAX_PACKED = 200;
const BYTES = Float64Array.BYTES_PER_ELEMENT;
const RESPONSE_TIMES: readonly number[] = [
  STATISTIC.portResponse.code,
  STATISTIC.unixSocketResponse.code,
  STATISTIC.pingResponse.code,
];

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

export interface LatestRequest {
  /** Values of several types of one service are added, as user, system and wait are to the CPU usage. */
  type: readonly number[];
  descriptor?: string | undefined;
  hostgroupid?: readonly number[] | undefined;
  order: "asc" | "desc";
}

/**
 * A set of ids, a bit for each. To find the few statistics that are wanted among the millions of a fleet takes a tenth
 * of the time that lookups in a map take.
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

/** The places of the statistics of some types in samples. Layouts and statistics never change; there are new ones. */
class Places {
  readonly #statistics = new Map<number, Statistic>();
  readonly #ids = new IdSet();
  readonly #places = new LruMap<number, SamplePosition[]>(LAYOUTS_KEPT, () => undefined);
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

/** The number of a service: the sum over the types. */
interface Sum {
  serviceId: number;
  descriptor: string;
  statisticIds: number[];
  value: number;
}

/** The highest or the lowest of a host's numbers; undefined if it has none. */
function best(
  places: readonly SamplePosition[],
  valueAt: (index: number) => number,
  { descriptor, order, type }: LatestRequest,
): Sum | undefined {
  const sums: Sum[] = [];
  for (const { statistic, index } of places) {
    const { id, serviceId, descriptor: own } = statistic;
    const value = valueAt(index);
    // A response time of -1 means that there was no response.
    const isFailed = value < 0 && type.some((one) => RESPONSE_TIMES.includes(one));
    if (Number.isNaN(value) || isFailed || (descriptor !== undefined && own !== descriptor)) continue;
    const known = sums.find((sum) => sum.serviceId === serviceId && sum.descriptor === own);
    if (known) {
      known.value += value;
      known.statisticIds.push(id);
    } else sums.push({ serviceId, descriptor: own, statisticIds: [id], value });
  }
  const sign = order === "desc" ? -1 : 1;
  return sums.sort((a, b) => sign * (a.value - b.value))[0];
}

/** The latest number of each host that reports. */
export class LatestOfType {
  readonly #places = new LruMap<string, Places>(KEPT, () => undefined);

  constructor(private readonly db: Db) {}

  /** One number for each host that has one: of several, the highest, or the lowest where the order is "asc". */
  of(request: LatestRequest, scope: Scope): Latest[] {
    const { db } = this;
    const places = this.#placesOf(request.type);
    const rows = latestSamples(db, scope, request.hostgroupid);
    const known = places.of(db, new Set(rows.map(({ layoutId }) => layoutId)));
    const latest: Latest[] = [];
    for (const row of rows) {
      const found = best(known.get(row.layoutId) ?? [], valuesOf(row), request);
      const { hostId, hostname, hostnameKey, led, at } = row;
      if (found) latest.push({ hostId, hostname, hostnameKey, led, at, ...found });
    }
    return [...latest, ...this.#packed(request, places, scope)];
  }

  /** Of hosts whose last hour is packed already. */
  #packed(request: LatestRequest, places: Places, scope: Scope): Latest[] {
    const hosts = hostsWithPackedSamples(this.db, scope, MAX_PACKED, request.hostgroupid);
    if (hosts.length === 0) return [];
    const statistics = places.learn(this.db);
    return hosts.flatMap((host) => {
      const row = latestRow(this.db, host.hostId);
      if (!row) return [];
      const found = Array.from(row.ids).flatMap((id, index) => {
        const statistic = statistics.get(id);
        return statistic ? [{ statistic, index }] : [];
      });
      const number = best(found, (index) => row.values[index] ?? Number.NaN, request);
      return number ? [{ ...host, at: row.at, ...number }] : [];
    });
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
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  return (index) => view.getFloat64(index * BYTES, true);
}
