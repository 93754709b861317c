import { and, asc, desc, eq, gt, gte, isNull, lt, lte, min, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  historyBlocks,
  hosts,
  names,
  sampleLayouts,
  samples,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import { HIDDEN, listOf, unindexed } from "../../platform/storage/words.ts";
import type { Interval } from "../uptime/intervals.ts";
import type { BlockRow } from "./block.ts";
import type { Resolution } from "./resolutions.ts";
import { unpackValues } from "./sample-values.ts";

/** The ids of the statistics of a layout, in the order of the values. @param bytes as stored */
export function idsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

const sampleColumns = { at: samples.at, ids: sampleLayouts.statisticIds, values: samples.values };

const looseSamplesStatement = prepareOnce((db) =>
  db
    .select({ ...sampleColumns, layoutId: samples.layoutId })
    .from(samples)
    .innerJoin(sampleLayouts, eq(sampleLayouts.id, samples.layoutId))
    .where(
      and(
        eq(samples.hostId, sql.placeholder("hostId")),
        gte(samples.at, sql.placeholder("from")),
        lt(samples.at, sql.placeholder("to")),
      ),
    )
    .orderBy(asc(samples.at), asc(samples.id))
    .prepare(),
);

/** Samples of a host that are not packed into blocks yet, in order of time. */
export function looseSamples(db: Db, hostId: number, window: Interval): BlockRow[] {
  const layouts = new Map<number, Uint32Array>();
  return looseSamplesStatement(db)
    .all({ hostId, from: window.from, to: window.to })
    .map(({ at, layoutId, ids, values }) => {
      const layout = layouts.get(layoutId) ?? idsOf(ids);
      layouts.set(layoutId, layout);
      return { at, ids: layout, values: unpackValues(values) };
    });
}

/**
 * When the last message of a host was received. If the server's clock was set back since, earlier messages have later
 * dates.
 */
const lastMessage = sql`(select ${hosts.lastmodified} from ${hosts} where ${hosts.id} = ${sql.placeholder("hostId")})`;

const newestLooseSampleStatement = prepareOnce((db) =>
  db
    .select(sampleColumns)
    .from(samples)
    .innerJoin(sampleLayouts, eq(sampleLayouts.id, samples.layoutId))
    .where(and(eq(samples.hostId, sql.placeholder("hostId")), lte(samples.at, lastMessage)))
    .orderBy(desc(samples.at), desc(samples.id))
    .limit(1)
    .prepare(),
);

/** The newest sample of a host that is not packed yet; undefined if all are packed, or there is none. */
export function newestLooseSample(db: Db, hostId: number): BlockRow | undefined {
  const row = newestLooseSampleStatement(db).get({ hostId });
  return row && { at: row.at, ids: idsOf(row.ids), values: unpackValues(row.values) };
}

/** Deletes the samples of a host within a window that has been packed into a block. */
export function deletePackedSamples(db: Db, hostId: number, { from, to }: Interval): void {
  const within = and(eq(samples.hostId, hostId), gte(samples.at, from), lt(samples.at, to));
  db.delete(samples).where(within).run();
}

const oldestLooseSampleStatement = prepareOnce((db) =>
  db
    .select({ hostId: samples.hostId, at: samples.at })
    .from(samples)
    .where(gte(samples.hostId, sql.placeholder("hostId")))
    .orderBy(asc(samples.hostId), asc(samples.at))
    .limit(1)
    .prepare(),
);

/** The oldest unpacked sample of the first host with an id of at least `hostId` that has one. */
export function oldestLooseSample(db: Db, hostId: number): { hostId: number; at: number } | undefined {
  return oldestLooseSampleStatement(db).get({ hostId });
}

/** The packed block of a host that begins at `start`, unix seconds; undefined if there is none. */
export function getBlock(db: Db, hostId: number, { seconds }: Resolution, start: number): Buffer | undefined {
  const { resolution } = historyBlocks;
  const isOfHost = and(eq(historyBlocks.hostId, hostId), eq(resolution, seconds));
  const rows = db.select({ payload: historyBlocks.payload }).from(historyBlocks);
  return rows.where(and(isOfHost, eq(historyBlocks.start, start))).get()?.payload;
}

/** Raw SQL: a preview reads a hundred thousand blocks, and the query builder copies each of them. */
const blocksWithinStatement = prepareOnce((db) =>
  db.$client.prepare<{ start: number; payload: Uint8Array }, [number, number, number, number]>(
    `select start, payload from history_blocks
     where host_id = ${HIDDEN}? and resolution = ${HIDDEN}? and start > ${HIDDEN}? and start < ${HIDDEN}? order by start`,
  ),
);

/** The blocks of a host that overlap the window, in order of time. */
export function blocksWithin(
  db: Db,
  hostId: number,
  { seconds, blockSpan }: Resolution,
  { from, to }: Interval,
) {
  return blocksWithinStatement(db).all(hostId, seconds, from - blockSpan, to);
}

const newestBlockStatement = prepareOnce((db) =>
  db
    .select({ payload: historyBlocks.payload })
    .from(historyBlocks)
    .where(
      and(
        eq(historyBlocks.hostId, sql.placeholder("hostId")),
        eq(historyBlocks.resolution, sql.placeholder("seconds")),
        lte(historyBlocks.start, lastMessage),
      ),
    )
    .orderBy(desc(historyBlocks.start))
    .limit(1)
    .prepare(),
);

/** The newest block of a host. */
export function newestBlock(db: Db, hostId: number, { seconds }: Resolution): Buffer | undefined {
  return newestBlockStatement(db).get({ hostId, seconds })?.payload;
}

interface NewBlock {
  hostId: number;
  resolution: Resolution;
  /** Unix seconds. */
  start: number;
  payload: Buffer;
}

/** Stores a block, replacing one that the host has at the same time and resolution. */
export function putBlock(db: Db, { hostId, resolution, start, payload }: NewBlock): void {
  db.insert(historyBlocks)
    .values({ hostId, resolution: resolution.seconds, start, payload })
    .onConflictDoUpdate({
      target: [historyBlocks.hostId, historyBlocks.resolution, historyBlocks.start],
      set: { payload },
    })
    .run();
}

const oldestBlockStatement = prepareOnce((db) =>
  db
    .select({ start: min(historyBlocks.start) })
    .from(historyBlocks)
    .where(eq(historyBlocks.resolution, sql.placeholder("seconds")))
    .prepare(),
);

/** Start of the oldest block of a resolution, over all hosts. */
export function oldestBlock(db: Db, { seconds }: Resolution): number | null {
  return oldestBlockStatement(db).get({ seconds })?.start ?? null;
}

/** The first host after `afterHost` that has a block of the resolution within the window. */
export function nextHostWithBlocks(
  db: Db,
  { seconds }: Resolution,
  { from, to }: Interval,
  afterHost: number,
): number | null {
  const { hostId, resolution, start } = historyBlocks;
  const next = db.select({ hostId: min(hostId) }).from(historyBlocks);
  const isWithin = and(eq(resolution, seconds), gte(start, from), lt(start, to), gt(hostId, afterHost));
  return next.where(isWithin).get()?.hostId ?? null;
}

/** The host of a service; undefined if there is no such service. */
export function hostOfService(db: Db, serviceId: number): number | undefined {
  const rows = db.select({ hostId: services.hostId }).from(services);
  return rows.where(eq(services.id, serviceId)).get()?.hostId;
}

/** The types of statistics, by their ids. Those of unknown ids are left out. */
export function typesOf(db: Db, ids: readonly number[]) {
  const rows = db.select({ id: statistics.id, type: statistics.type }).from(statistics);
  return rows.where(sql`${statistics.id} in ${listOf(ids)}`).all();
}

export interface StatisticFilter {
  serviceid?: number | undefined;
  servicename?: string | undefined;
  type?: number[] | undefined;
  descriptor?: string | undefined;
  /** Only of services that the host still has. */
  isPresent?: boolean;
}

/**
 * The numeric statistics of a host that match the filter. The types are hidden from their index, by which SQLite would
 * read the statistics of all hosts.
 */
export function statisticsOfHistory(db: Db, hostId: number, filter: StatisticFilter) {
  const { serviceid, servicename, type, descriptor, isPresent } = filter;
  return db
    .select({
      id: statistics.id,
      serviceid: services.id,
      servicename: names.name,
      type: statistics.type,
      descriptor: statistics.descriptor,
    })
    .from(statistics)
    .innerJoin(services, eq(services.id, statistics.serviceId))
    .innerJoin(names, eq(names.id, services.nameId))
    .where(
      and(
        eq(services.hostId, hostId),
        sql`${statistics.text} is null`,
        serviceid === undefined ? undefined : eq(services.id, serviceid),
        servicename === undefined ? undefined : eq(names.name, servicename),
        type === undefined ? undefined : sql`${unindexed(statistics.type)} in ${type}`,
        descriptor === undefined ? undefined : eq(statistics.descriptor, descriptor),
        isPresent ? isNull(services.vanishedAt) : undefined,
      ),
    )
    .orderBy(asc(names.nameKey), asc(names.id), asc(statistics.type), asc(statistics.id))
    .all();
}
