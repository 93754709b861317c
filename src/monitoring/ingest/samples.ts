/** Stores the numbers of a message as one sample row, and its textual statistics. */
import type { AgentMessage, AgentService, AgentStatistic } from "../../monit/message.types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { KnownHost } from "./host-cache.ts";
import { dateOf } from "./host-facts.ts";
import { recordOutputChange } from "./output-changes.repository.ts";
import type { Receipt } from "./reading.ts";
import { putSample } from "./sample-rate.ts";
import { signatureOf } from "./sample-signature.ts";
import {
  deleteStatistics,
  insertStatistics,
  layoutsOf,
  type SampleLayout,
  type StatisticsOfSample,
  type StoredStatistic,
  statisticsOfHosts,
  updateStatisticText,
} from "./samples.repository.ts";

/** A statistic of a message with the id of its service and the time of its check. */
type Reported = AgentStatistic & Pick<AgentService, "collectedSec"> & { serviceId: number };

function statisticsOf(host: KnownHost, services: readonly AgentService[]): Reported[] {
  return services.flatMap(({ name, statistics, collectedSec }) => {
    const serviceId = host.services.get(name)?.id;
    if (serviceId === undefined) throw new Error(`service "${name}" has no row`);
    return statistics.map((statistic) => ({ ...statistic, serviceId, collectedSec }));
  });
}

const keyOf = ({ serviceId, type, descriptor }: StoredStatistic | Reported) =>
  `${serviceId} ${type} ${descriptor}`;

function isSame(row: StoredStatistic, reported: Reported): boolean {
  return (
    row.serviceId === reported.serviceId &&
    row.type === reported.type &&
    row.descriptor === reported.descriptor
  );
}

/**
 * Finds the row of each statistic; undefined for a new one. Rows usually have the order of the message, so
 * the next row is tried before a search.
 */
function match(
  reported: readonly Reported[],
  rows: readonly StoredStatistic[],
): (StoredStatistic | undefined)[] {
  const isInOrder = reported.every((statistic, i) => rows[i] !== undefined && isSame(rows[i], statistic));
  if (isInOrder) return rows.slice(0, reported.length);
  if (rows.length === 0) return reported.map(() => undefined);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return reported.map((statistic) => byKey.get(keyOf(statistic)));
}

/** Services of a host, as a message lists them. */
interface ListedServices {
  host: KnownHost;
  services: readonly AgentService[];
}

/** A statistic of a message with its row. */
interface Identified {
  reported: Reported;
  row: StoredStatistic;
  /** Whether the row has just been inserted. */
  isNew: boolean;
}

/**
 * How many statistics are kept of a service. A message may have more; a service with descriptors that change with every
 * message would have more and more of them.
 */
export const MAX_STATISTICS_OF_SERVICE = 2000;
/** The most statistics that one message deletes beyond as many as it adds, if a service has far too many. */
const DELETED_WITH_MESSAGE = 1000;

/** The statistics of a message with their rows, and all stored ones of its host, by id. */
interface Matched {
  reported: readonly Reported[];
  /** Undefined for a new one. */
  rows: readonly (StoredStatistic | undefined)[];
  stored: readonly StoredStatistic[];
}

function countOfEach(ofServices: readonly { serviceId: number }[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { serviceId } of ofServices) counts.set(serviceId, (counts.get(serviceId) ?? 0) + 1);
  return counts;
}

/**
 * The statistics to delete because a message adds new ones: the oldest of each service that are not in the message.
 * Services without new statistics lose none: a failing service reports no statistics, and keeps what it had.
 */
function excessOf({ reported, rows, stored }: Matched): number[] {
  const added = countOfEach(reported.filter((_, i) => rows[i] === undefined));
  if (added.size === 0) return [];
  const storedOfEach = countOfEach(stored);
  let inMessage: Set<number | undefined> | undefined;
  return [...added].flatMap(([serviceId, count]) => {
    const excess = (storedOfEach.get(serviceId) ?? 0) + count - MAX_STATISTICS_OF_SERVICE;
    if (excess <= 0) return [];
    inMessage ??= new Set(rows.map((row) => row?.id));
    return stored
      .filter((row) => row.serviceId === serviceId && !inMessage?.has(row.id))
      .slice(0, Math.min(excess, count + DELETED_WITH_MESSAGE))
      .map(({ id }) => id);
  });
}

/** The statistics of services with their rows. Inserts new ones. @param listed each of a different host */
export function storeStatistics(db: Db, listed: readonly ListedServices[]): Identified[][] {
  const hosts = listed.flatMap(({ host }) => (host.isNew ? [] : [{ hostId: host.row.id }]));
  const stored = Map.groupBy(statisticsOfHosts(db, hosts), ({ hostId }) => hostId);
  const matched = listed.map(({ host, services }) => {
    const reported = statisticsOf(host, services);
    const ofHost = stored.get(host.row.id) ?? [];
    return { host, reported, rows: match(reported, ofHost), stored: ofHost };
  });
  for (const ofHost of matched) {
    const excess = excessOf(ofHost);
    if (excess.length === 0) continue;
    deleteStatistics(db, excess);
    // The cached layouts may contain them.
    ofHost.host.layouts.clear();
  }
  const added = matched.flatMap(({ reported, rows }) => reported.filter((_, i) => rows[i] === undefined));
  const inserted = insertStatistics(db, added).values();
  return matched.map(({ reported, rows }) =>
    reported.map((statistic, i) => {
      const row = rows[i] ?? inserted.next().value;
      if (row === undefined)
        throw new Error(`statistic ${statistic.type} "${statistic.descriptor}" has no row`);
      return { reported: statistic, row, isNew: rows[i] === undefined };
    }),
  );
}

/**
 * Stores a text that differs from the last one. A change of program output is recorded here, since it causes no
 * event.
 */
function changeText(db: Db, host: KnownHost, stored: StoredStatistic, text: string, date: number): void {
  const { row } = host;
  updateStatisticText(db, stored.id, text);
  // The cached layouts belong to the earlier texts.
  host.layouts.clear();
  if (stored.type !== STATISTIC.programOutput.code || stored.text === null) return;
  if (row.status === HOST_STATUS.ignored) return;
  recordOutputChange(db, { hostId: row.id, serviceId: stored.serviceId, date }, stored.text, text);
}

const isOtherText = ({ reported, row }: Identified) => reported.text !== null && reported.text !== row.text;

/** A layout cannot contain a statistic that was inserted just now. */
function orderOf({ row: { id: hostId }, isNew: isFirst }: KnownHost, statistics: readonly Identified[]) {
  const isNew = statistics.some((statistic) => statistic.isNew);
  // Several times as fast as `Uint32Array.from` with a function.
  const statisticIds = new Uint32Array(statistics.map(({ row }) => row.id));
  return { hostId, statisticIds, isNew, isFirst } satisfies StatisticsOfSample;
}

/** The layout of a message. Inserts new statistics and updates changed texts. */
function identify(db: Db, host: KnownHost, message: AgentMessage, receivedAt: number): SampleLayout {
  const statistics = storeStatistics(db, [{ host, services: message.services }]).flat();
  for (const { reported, row } of statistics.filter(isOtherText)) {
    const { text, collectedSec } = reported;
    const checkedAt = collectedSec > 0 ? dateOf(collectedSec, host.row.clockOffset, receivedAt) : receivedAt;
    changeText(db, host, row, text ?? "", checkedAt);
  }
  const [layout] = layoutsOf(db, [orderOf(host, statistics)]);
  if (!layout) throw new Error(`host ${host.row.id} has no layout for its sample`);
  return layout;
}

function numbersOf(message: AgentMessage, count: number): Float64Array {
  const values = new Float64Array(count);
  let n = 0;
  for (const service of message.services)
    for (const statistic of service.statistics) values[n++] = statistic.value;
  return values;
}

/** The most layouts cached per host. A service that fails and recovers makes its host alternate between two. */
const MAX_LAYOUTS = 4;

/** @returns the layout's id */
function cacheLayout(host: KnownHost, signature: bigint, { id, isNew }: SampleLayout): number {
  // A new layout may have replaced unused ones.
  if (isNew || host.layouts.size >= MAX_LAYOUTS) host.layouts.clear();
  host.layouts.set(signature, id);
  return id;
}

/**
 * Stores in bulk what `storeSample` would store for each of these messages before its values. When many hosts fail at
 * once, all of them report other statistics than before.
 * @param messages each of a different host, which has all their services
 */
export function storeLayouts(db: Db, messages: readonly { host: KnownHost; message: AgentMessage }[]): void {
  const otherMessages = messages.flatMap(({ host, message: { services } }) => {
    const { signature } = signatureOf(services);
    return host.layouts.has(signature) ? [] : [{ host, services, signature }];
  });
  if (otherMessages.length === 0) return;
  const statistics = storeStatistics(db, otherMessages);
  // A changed text is stored with its message, which dates the change.
  const fixedLayouts = otherMessages.flatMap(({ host, signature }, i) => {
    const ofHost = statistics[i] ?? [];
    return ofHost.some(isOtherText) ? [] : [{ host, signature, ...orderOf(host, ofHost) }];
  });
  for (const [i, layout] of layoutsOf(db, fixedLayouts).entries()) {
    const { host, signature } = fixedLayouts[i] ?? {};
    if (host && signature !== undefined) cacheLayout(host, signature, layout);
  }
}

/**
 * Stores the sample of a message, even an empty one: it shows that the values are no longer known.
 * @returns its values
 */
export function storeSample(
  db: Db,
  host: KnownHost,
  { message, reading, receivedAt: at }: Receipt,
): Float64Array {
  const { signature, count } = signatureOf(message.services);
  host.layoutId =
    host.layouts.get(signature) ?? cacheLayout(host, signature, identify(db, host, message, at));
  const values = reading?.values ?? numbersOf(message, count);
  putSample(db, { hostId: host.row.id, layoutId: host.layoutId, at, values });
  return values;
}
