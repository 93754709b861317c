/** Stores the numbers of a message as one sample row, and its textual statistics. */
import type { AgentMessage, AgentService, AgentStatistic } from "../../monit/message.types.ts";
import { STATISTIC } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { KnownHost } from "./host-cache.ts";
import {
  insertSample,
  insertStatistics,
  layoutOf,
  type StoredStatistic,
  statisticsOfHost,
  updateStatisticText,
} from "./ingest.repository.ts";
import { recordOutputChange } from "./output-changes.repository.ts";

/** Hashes of the list of statistics in a message and of their texts. Equal lists have equal hashes. */
function signatureOf(message: AgentMessage): { signature: bigint; texts: bigint; count: number } {
  let layout = "";
  let texts = "";
  let count = 0;
  for (const service of message.services) {
    layout += `${service.name}\0`;
    for (const statistic of service.statistics) {
      layout += `${statistic.type} ${statistic.descriptor}\n`;
      if (statistic.text !== null) texts += `${statistic.text}\0`;
      count++;
    }
  }
  return { signature: BigInt(Bun.hash(layout)), texts: BigInt(Bun.hash(texts)), count };
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
  const keyOf = ({ serviceId, type, descriptor }: StoredStatistic | Found) =>
    `${serviceId} ${type} ${descriptor}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return found.map((one) => byKey.get(keyOf(one)));
}

/** The statistics of some services with their rows. Inserts those that are new. */
export function storeStatistics(
  db: Db,
  host: KnownHost,
  services: readonly AgentService[],
): { found: Found[]; rows: (StoredStatistic | undefined)[] } {
  const found = statisticsOf(host, services);
  const stored = statisticsOfHost(db, host.row.id);
  const rows = match(found, stored);
  const added = found.filter((_, i) => rows[i] === undefined);
  if (added.length === 0) return { found, rows };
  return { found, rows: match(found, [...stored, ...insertStatistics(db, added)]) };
}

/** Stores a text that differs from the last one. A change of program output is recorded, since no event tells of it. */
function changeText(db: Db, { row }: KnownHost, stored: StoredStatistic, text: string, date: number): void {
  updateStatisticText(db, stored.id, text);
  if (stored.type !== STATISTIC.programOutput.code || stored.text === null) return;
  if (row.status === HOST_STATUS.ignored) return;
  recordOutputChange(db, { hostId: row.id, serviceId: stored.serviceId, date }, stored.text, text);
}

/** The ids of a message's statistics. Inserts new statistics and updates changed texts. */
function identify(db: Db, host: KnownHost, message: AgentMessage, receivedAt: number): Uint32Array {
  const { found, rows } = storeStatistics(db, host, message.services);
  return Uint32Array.from(found, ({ type, descriptor, text, collectedSec }, i) => {
    const row = rows[i];
    if (row === undefined) throw new Error(`statistic ${type} "${descriptor}" has no row`);
    if (text !== null && text !== row.text) {
      const checkedAt = collectedSec > 0 ? collectedSec + host.row.clockOffset : receivedAt;
      changeText(db, host, row, text, Math.min(checkedAt, receivedAt));
    }
    return row.id;
  });
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

/** Identifies a message's statistics, stores their texts and caches their layout. @returns the layout's id */
function storeLayout(
  db: Db,
  host: KnownHost,
  message: AgentMessage,
  signature: bigint,
  receivedAt: number,
): number {
  const { id, isNew } = layoutOf(db, host.row.id, identify(db, host, message, receivedAt));
  // A new layout may have replaced unused ones.
  if (isNew || host.layouts.size >= MAX_LAYOUTS) host.layouts.clear();
  host.layouts.set(signature, id);
  return id;
}

/**
 * Stores the sample of a message. An empty one is stored too: it shows that the values are no longer known.
 * @returns its values
 */
export function storeSample(db: Db, host: KnownHost, message: AgentMessage, at: number): Buffer {
  const { signature, texts, count } = signatureOf(message);
  const known = host.textsSignature === texts ? host.layouts.get(signature) : undefined;
  host.layoutId = known ?? storeLayout(db, host, message, signature, at);
  host.textsSignature = texts;
  const values = pack(message, count);
  insertSample(db, host.row.id, host.layoutId, at, values);
  return values;
}
