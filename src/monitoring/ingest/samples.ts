/** Stores the numbers of a message as one sample row, and its textual statistics. */
import type { AgentMessage, AgentService, AgentStatistic } from "../../monit/message.types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { KnownHost } from "./host-cache.ts";
import {
  createLayout,
  insertSample,
  insertStatistics,
  layoutOf,
  type SampleLayout,
  type StoredStatistic,
  statisticsOfHosts,
  updateStatisticText,
} from "./ingest.repository.ts";
import { layoutsOf } from "./layouts.postgres.ts";
import { recordOutputChange } from "./output-changes.repository.ts";

/** A hash of the list of statistics in a message with their texts, and their number. Equal lists have equal hashes. */
function signatureOf(services: readonly AgentService[]): { signature: bigint; count: number } {
  const parts: (string | number | null)[] = [];
  let count = 0;
  for (const { name, statistics } of services) {
    parts.push(name);
    for (const { type, descriptor, text } of statistics) parts.push(type, descriptor, text);
    count += statistics.length;
  }
  return { signature: BigInt(Bun.hash(JSON.stringify(parts))), count };
}

/** A statistic of a message with the id of its service and the time of its check. */
type Found = AgentStatistic & Pick<AgentService, "collectedSec"> & { serviceId: number };

function statisticsOf(host: KnownHost, services: readonly AgentService[]): Found[] {
  return services.flatMap(({ name, statistics, collectedSec }) => {
    const serviceId = host.services.get(name)?.id;
    if (serviceId === undefined) throw new Error(`service "${name}" has no row`);
    return statistics.map((statistic) => ({ ...statistic, serviceId, collectedSec }));
  });
}

const keyOf = ({ serviceId, type, descriptor }: StoredStatistic | Found) =>
  `${serviceId} ${type} ${descriptor}`;

function isSame(row: StoredStatistic, found: Found): boolean {
  return row.serviceId === found.serviceId && row.type === found.type && row.descriptor === found.descriptor;
}

/**
 * Finds the row of each statistic; undefined for a new one. Rows usually have the order of the message, so
 * the next row is tried before a search.
 */
function match(found: readonly Found[], rows: readonly StoredStatistic[]): (StoredStatistic | undefined)[] {
  const isInOrder = found.every((one, i) => rows[i] !== undefined && isSame(rows[i], one));
  if (isInOrder) return rows.slice(0, found.length);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return found.map((one) => byKey.get(keyOf(one)));
}

/** Services of a host, as a message lists them. */
interface ListedServices {
  host: KnownHost;
  services: readonly AgentService[];
}

/** A statistic of a message with its row. */
interface Identified {
  found: Found;
  row: StoredStatistic;
  /** Whether the row has just been inserted. */
  isNew: boolean;
}

/** The statistics of services with their rows. Inserts those that are new. @param listed of another host each */
export function storeStatistics(db: Db, listed: readonly ListedServices[]): Identified[][] {
  const hostIds = listed.map(({ host }) => host.row.id);
  const stored = Map.groupBy(statisticsOfHosts(db, hostIds), ({ hostId }) => hostId);
  const known = listed.map(({ host, services }) => {
    const found = statisticsOf(host, services);
    return { found, rows: match(found, stored.get(host.row.id) ?? []) };
  });
  const added = known.flatMap(({ found, rows }) => found.filter((_, i) => rows[i] === undefined));
  const inserted = new Map(
    added.length === 0 ? [] : insertStatistics(db, added).map((row) => [keyOf(row), row]),
  );
  return known.map(({ found, rows }) =>
    found.map((one, i) => {
      const row = rows[i] ?? inserted.get(keyOf(one));
      if (row === undefined) throw new Error(`statistic ${one.type} "${one.descriptor}" has no row`);
      return { found: one, row, isNew: rows[i] === undefined };
    }),
  );
}

/** Stores a text that differs from the last one. A change of program output is recorded, since no event tells of it. */
function changeText(db: Db, host: KnownHost, stored: StoredStatistic, text: string, date: number): void {
  const { row } = host;
  updateStatisticText(db, stored.id, text);
  // The texts of earlier messages are no longer the stored ones.
  host.layouts.clear();
  if (stored.type !== STATISTIC.programOutput.code || stored.text === null) return;
  if (row.status === HOST_STATUS.ignored) return;
  recordOutputChange(db, { hostId: row.id, serviceId: stored.serviceId, date }, stored.text, text);
}

const isOtherText = ({ found, row }: Identified) => found.text !== null && found.text !== row.text;

const idsOf = (statistics: readonly Identified[]) => Uint32Array.from(statistics, ({ row }) => row.id);

/** The layout of a message. Inserts new statistics and updates changed texts. */
function identify(db: Db, host: KnownHost, message: AgentMessage, receivedAt: number): SampleLayout {
  const statistics = storeStatistics(db, [{ host, services: message.services }]).flat();
  for (const { found, row } of statistics.filter(isOtherText)) {
    const { text, collectedSec } = found;
    const checkedAt = collectedSec > 0 ? collectedSec + host.row.clockOffset : receivedAt;
    changeText(db, host, row, text ?? "", Math.min(checkedAt, receivedAt));
  }
  // No layout has a statistic yet that was inserted for it.
  const isNew = statistics.some((statistic) => statistic.isNew);
  return (isNew ? createLayout : layoutOf)(db, host.row.id, idsOf(statistics));
}

function pack(message: AgentMessage, count: number): Buffer {
  const values = new Float64Array(count);
  let n = 0;
  for (const service of message.services)
    for (const statistic of service.statistics) values[n++] = statistic.value;
  return Buffer.from(values.buffer);
}

/** Most layouts cached per host: a service that fails and recovers makes its host alternate between two. */
const MAX_LAYOUTS = 4;

/** @returns the layout's id */
function cacheLayout(host: KnownHost, signature: bigint, { id, isNew }: SampleLayout): number {
  // A new layout may have replaced unused ones.
  if (isNew || host.layouts.size >= MAX_LAYOUTS) host.layouts.clear();
  host.layouts.set(signature, id);
  return id;
}

/**
 * Stores at once what `storeSample` would store for each of these messages before its values. On PostgreSQL that takes
 * several round trips, and after a failure of many hosts all of them report other statistics than before.
 * @param messages of another host each, which has all their services
 */
export function storeLayouts(db: Db, messages: readonly { host: KnownHost; message: AgentMessage }[]): void {
  const others = messages.flatMap(({ host, message: { services } }) => {
    const { signature } = signatureOf(services);
    return host.layouts.has(signature) ? [] : [{ host, services, signature }];
  });
  if (others.length === 0) return;
  const statistics = storeStatistics(db, others);
  // A text that changes belongs to its message, which says when.
  const settled = others.flatMap(({ host, signature }, i) => {
    const own = statistics[i] ?? [];
    return own.some(isOtherText) ? [] : [{ host, signature, hostId: host.row.id, statisticIds: idsOf(own) }];
  });
  const layouts = layoutsOf(db, settled);
  for (const { host, signature, hostId } of settled) {
    const layout = layouts.get(hostId);
    if (layout) cacheLayout(host, signature, layout);
  }
}

/**
 * Stores the sample of a message. An empty one is stored too: it shows that the values are no longer known.
 * @returns its values
 */
export function storeSample(db: Db, host: KnownHost, message: AgentMessage, at: number): Buffer {
  const { signature, count } = signatureOf(message.services);
  host.layoutId =
    host.layouts.get(signature) ?? cacheLayout(host, signature, identify(db, host, message, at));
  const values = pack(message, count);
  insertSample(db, host.row.id, host.layoutId, at, values);
  return values;
}
