import { and, asc, desc, eq, gt, gte, lt, max, min, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  historyBlocks,
  names,
  sampleLayouts,
  samples,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import type { Interval } from "../uptime/intervals.ts";
import type { Row } from "./block.ts";
import type { Resolution } from "./resolutions.ts";

function floatsOf(bytes: Buffer): Float64Array {
  // A copy, because the database's buffer may not be aligned to 8 bytes.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

function idsOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

/** Samples of a host that are not packed into blocks yet, in order of time. */
export function looseSamples(db: Db, hostId: number, window: Interval): Row[] {
  const layouts = new Map<number, Uint32Array>();
  return db
    .select({
      at: samples.at,
      layoutId: samples.layoutId,
      ids: sampleLayouts.statisticIds,
      values: samples.values,
    })
    .from(samples)
    .innerJoin(sampleLayouts, eq(sampleLayouts.id, samples.layoutId))
    .where(and(eq(samples.hostId, hostId), gte(samples.at, window.from), lt(samples.at, window.to)))
    .orderBy(asc(samples.at), asc(samples.id))
    .all()
    .map(({ at, layoutId, ids, values }) => {
      const layout = layouts.get(layoutId) ?? idsOf(ids);
      layouts.set(layoutId, layout);
      return { at, ids: layout, values: floatsOf(values) };
    });
}

const newestLooseSampleStatement = prepareOnce((db) =>
  db
    .select({ at: samples.at, ids: sampleLayouts.statisticIds, values: samples.values })
    .from(samples)
    .innerJoin(sampleLayouts, eq(sampleLayouts.id, samples.layoutId))
    .where(eq(samples.hostId, sql.placeholder("hostId")))
    .orderBy(desc(samples.at), desc(samples.id))
    .limit(1)
    .prepare(),
);

export function newestLooseSample(db: Db, hostId: number): Row | undefined {
  const row = newestLooseSampleStatement(db).get({ hostId });
  return row && { at: row.at, ids: idsOf(row.ids), values: floatsOf(row.values) };
}

/** Deletes the samples of a host within a window that has been packed into a block. */
export function deletePackedSamples(db: Db, hostId: number, window: Interval): void {
  db.delete(samples)
    .where(and(eq(samples.hostId, hostId), gte(samples.at, window.from), lt(samples.at, window.to)))
    .run();
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

export function getBlock(db: Db, hostId: number, resolution: Resolution, start: number): Buffer | undefined {
  return db
    .select({ payload: historyBlocks.payload })
    .from(historyBlocks)
    .where(
      and(
        eq(historyBlocks.hostId, hostId),
        eq(historyBlocks.resolution, resolution.seconds),
        eq(historyBlocks.start, start),
      ),
    )
    .get()?.payload;
}

export function putBlock(
  db: Db,
  hostId: number,
  resolution: Resolution,
  start: number,
  payload: Buffer,
): void {
  db.insert(historyBlocks)
    .values({ hostId, resolution: resolution.seconds, start, payload })
    .onConflictDoUpdate({
      target: [historyBlocks.hostId, historyBlocks.resolution, historyBlocks.start],
      set: { payload },
    })
    .run();
}

/** The blocks of a host that overlap the window, in order of time. */
export function blocksWithin(db: Db, hostId: number, resolution: Resolution, window: Interval) {
  return db
    .select({ start: historyBlocks.start, payload: historyBlocks.payload })
    .from(historyBlocks)
    .where(
      and(
        eq(historyBlocks.hostId, hostId),
        eq(historyBlocks.resolution, resolution.seconds),
        gt(historyBlocks.start, window.from - resolution.blockSpan),
        lt(historyBlocks.start, window.to),
      ),
    )
    .orderBy(asc(historyBlocks.start))
    .all();
}

/** The newest block of a host. */
export function newestBlock(db: Db, hostId: number, resolution: Resolution): Buffer | undefined {
  return db
    .select({ payload: historyBlocks.payload })
    .from(historyBlocks)
    .where(and(eq(historyBlocks.hostId, hostId), eq(historyBlocks.resolution, resolution.seconds)))
    .orderBy(desc(historyBlocks.start))
    .limit(1)
    .get()?.payload;
}

/** Start of the oldest and of the newest block of a resolution, over all hosts. */
export function extentOfBlocks(db: Db, resolution: Resolution): { oldest: number; newest: number } | null {
  const row = db
    .select({ oldest: min(historyBlocks.start), newest: max(historyBlocks.start) })
    .from(historyBlocks)
    .where(eq(historyBlocks.resolution, resolution.seconds))
    .get();
  return row && row.oldest !== null && row.newest !== null
    ? { oldest: row.oldest, newest: row.newest }
    : null;
}

/** The first host after `afterHost` that has a block of the resolution within the window. */
export function nextHostWithBlocks(
  db: Db,
  resolution: Resolution,
  window: Interval,
  afterHost: number,
): number | undefined {
  return (
    db
      .select({ hostId: min(historyBlocks.hostId) })
      .from(historyBlocks)
      .where(
        and(
          eq(historyBlocks.resolution, resolution.seconds),
          gte(historyBlocks.start, window.from),
          lt(historyBlocks.start, window.to),
          gt(historyBlocks.hostId, afterHost),
        ),
      )
      .get()?.hostId ?? undefined
  );
}

export interface StatisticFilter {
  serviceid?: number | undefined;
  servicename?: string | undefined;
  type?: number[] | undefined;
  descriptor?: string | undefined;
}

/** The numeric statistics of a host that match the filter. */
export function statisticsOfHistory(db: Db, hostId: number, filter: StatisticFilter) {
  const { serviceid, servicename, type, descriptor } = filter;
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
        type === undefined ? undefined : sql`${statistics.type} in ${type}`,
        descriptor === undefined ? undefined : eq(statistics.descriptor, descriptor),
      ),
    )
    .orderBy(asc(names.nameKey), asc(names.id), asc(statistics.type), asc(statistics.id))
    .all();
}
