/** Stores statistics, the layouts of samples, and samples. */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  insertNewRows,
  insertRows,
  queryRows,
  type RowsQuery,
  writeRows,
} from "../../platform/storage/rows.ts";
import { sampleLayouts, samples, statistics } from "../../platform/storage/schema.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { packValues } from "../history/sample-values.ts";

export interface StoredStatistic {
  id: number;
  serviceId: number;
  type: number;
  descriptor: string;
  text: string | null;
}

export type NewStatistic = Omit<StoredStatistic, "id">;

/**
 * The statistics of present services of hosts, ordered by id within each host. Vanished services, which can have
 * many, are left out.
 */
export const statisticsOfHosts: RowsQuery<{ hostId: "integer" }, StoredStatistic & { hostId: number }> =
  queryRows(
    { hostId: "integer" },
    ({
      rows,
      lookUp,
    }) => `select rows.host_id as "hostId", statistics.id, statistics.service_id as "serviceId",
      statistics.type, statistics.descriptor, statistics.text
    from ${rows}
      ${lookUp("services", "present", "present.host_id = rows.host_id and present.vanished_at is null")}
      join statistics on statistics.service_id = present.id
    order by statistics.id`,
  );

const newStatistics = insertNewRows(statistics, ["serviceId", "type", "descriptor", "text"], null);

/** Inserts statistics: a new host has dozens. @returns their rows, in the same order */
export function insertStatistics(db: Db, rows: readonly NewStatistic[]): StoredStatistic[] {
  const ids = newStatistics.insertAll(db, rows);
  return rows.map(({ serviceId, type, descriptor, text }, i) => ({
    id: ids[i] as number,
    serviceId,
    type,
    descriptor,
    text,
  }));
}

const deletionOfStatistics = prepareOnce((db) =>
  db.$client.prepare<null, [string]>(`delete from statistics where id in ${idsIn("?")}`),
);

/** Deletes statistics. Samples and blocks keep the values, which nothing reads any more: no id is used twice. */
export function deleteStatistics(db: Db, ids: readonly number[]): void {
  deletionOfStatistics(db).run(JSON.stringify(ids));
}

const textStatement = prepareOnce((db) =>
  db.$client.prepare<null, [string, number]>("update statistics set text = ? where id = ?"),
);

/** Sets the last text of a statistic. Layouts that are cached for its host must then be dropped. */
export function updateStatisticText(db: Db, statisticId: number, text: string): void {
  textStatement(db).run(text, statisticId);
}

/** Statistic ids as they are stored. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const LAYOUT = { hostId: "integer", statisticIds: "bytes" } as const;

const findLayouts: RowsQuery<typeof LAYOUT, { nth: number; id: number }> = queryRows(
  LAYOUT,
  ({ rows, lookUp }) =>
    `select rows.nth, layout.id from ${rows} ${lookUp(
      "sample_layouts",
      "layout",
      "layout.host_id = rows.host_id and layout.statistic_ids = rows.statistic_ids",
    )}`,
);

/**
 * Deletes a host's layouts that no unpacked sample uses. Blocks contain their own layouts. The samples are read once
 * rather than for each layout: a host whose services change with every message has hundreds of both.
 */
const deleteUnusedLayouts = writeRows(
  { hostId: "integer" },
  "hostId",
  ({ rows, lookUp }) => `delete from sample_layouts where id in (
    select layout.id from ${rows} ${lookUp("sample_layouts", "layout", "layout.host_id = rows.host_id")}
    except
    select sample.layout_id from ${rows} ${lookUp("samples", "sample", "sample.host_id = rows.host_id")})`,
);

const newLayouts = insertNewRows(sampleLayouts, ["hostId", "statisticIds"], "hostId");

/** A stored layout, and whether it has just been created. */
export interface SampleLayout {
  id: number;
  isNew: boolean;
}

/** The statistics whose values a sample of a host has, in order. */
export interface StatisticsOfSample {
  hostId: number;
  statisticIds: Uint32Array;
  /** Whether some of the statistics are new, so that no layout can have them. */
  isNew: boolean;
  /** Whether the host cannot have a layout yet. */
  isFirst: boolean;
}

/**
 * Finds the sample layouts with exactly these statistics, in the same order. Creates missing ones, and then deletes
 * unused layouts of the host, so that their number stays small however often a host changes.
 * @param layouts each of a different host
 */
export function layoutsOf(db: Db, layouts: readonly StatisticsOfSample[]): SampleLayout[] {
  const layoutRows = layouts.map((layout) => ({ ...layout, statisticIds: bytesOf(layout.statisticIds) }));
  const knownLayouts = layoutRows.filter(({ isNew }) => !isNew);
  const ids = new Map(findLayouts(db, knownLayouts).map(({ nth, id }) => [knownLayouts[nth - 1], id]));
  newLayouts.expect(db, layoutRows.length - ids.size);
  return layoutRows.map((layout) => {
    const id = ids.get(layout);
    return id === undefined ? createLayout(db, layout) : { id, isNew: false };
  });
}

type NewLayout = Pick<StatisticsOfSample, "hostId" | "isFirst"> & { statisticIds: Buffer };

function createLayout(db: Db, layout: NewLayout): SampleLayout {
  if (!layout.isFirst) deleteUnusedLayouts(db, layout);
  return { id: newLayouts.insert(db, layout), isNew: true };
}

const writeSample = insertRows(samples, ["hostId", "layoutId", "at", "values"], "hostId");

/** The numbers of a message, in the order of their layout. */
export interface NewSample {
  hostId: number;
  layoutId: number;
  /** Unix seconds. */
  at: number;
  values: Float64Array;
}

/** Stores a sample. How many a host may store is not checked: `putSample` does that. */
export function insertSample(db: Db, sample: NewSample): void {
  writeSample(db, { ...sample, values: packValues(sample.values) });
}

const deleteNewest = writeRows(
  { hostId: "integer", at: "integer" },
  "hostId",
  ({ rows }) => `delete from samples where id in (
    select (
      select id from samples as sample where sample.host_id = rows.host_id and sample.at <= rows.at
      order by sample.at desc, sample.id desc limit 1
    ) from ${rows})`,
);

/** Stores a sample in place of the newest one of its host, if that is not packed yet. */
export function replaceSample(db: Db, sample: NewSample): void {
  deleteNewest(db, { hostId: sample.hostId, at: sample.at });
  insertSample(db, sample);
}
