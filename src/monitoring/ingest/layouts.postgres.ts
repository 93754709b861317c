/** Finds or creates the sample layouts of many hosts at once. */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { bytesOf, type SampleLayout } from "./ingest.repository.ts";

interface LayoutOfHost {
  hostId: number;
  statisticIds: Uint32Array;
}

const LISTS = "unnest(?1::bigint[], ?2::bytea[]) as given(host_id, statistic_ids)";

const statements = prepareOnce((db) => ({
  find: db.$client.prepare<{ id: number; hostId: number }, [lists: unknown[][]]>(
    `select id, host_id as "hostId" from ${LISTS} join sample_layouts using (host_id, statistic_ids)`,
  ),
  deleteUnused: db.$client.prepare<null, [lists: number[][]]>(
    `delete from sample_layouts where host_id = any (?1::bigint[])
     and not exists (select 1 from samples where samples.host_id = sample_layouts.host_id and layout_id = sample_layouts.id)`,
  ),
  insert: db.$client.prepare<{ id: number; hostId: number }, [lists: unknown[][]]>(
    `insert into sample_layouts (host_id, statistic_ids) select * from ${LISTS} returning id, host_id as "hostId"`,
  ),
}));

const listsOf = (layouts: readonly LayoutOfHost[]): unknown[][] => [
  layouts.map(({ hostId }) => hostId),
  layouts.map(({ statisticIds }) => bytesOf(statisticIds)),
];

/** As `layoutOf` for one host. @param layouts of another host each @returns them by host id */
export function layoutsOf(db: Db, layouts: readonly LayoutOfHost[]): Map<number, SampleLayout> {
  const { find, deleteUnused, insert } = statements(db);
  const found = new Map<number, SampleLayout>();
  if (layouts.length === 0) return found;
  for (const { id, hostId } of find.all(listsOf(layouts))) found.set(hostId, { id, isNew: false });
  const others = layouts.filter(({ hostId }) => !found.has(hostId));
  if (others.length === 0) return found;
  deleteUnused.run([others.map(({ hostId }) => hostId)]);
  for (const { id, hostId } of insert.all(listsOf(others))) found.set(hostId, { id, isNew: true });
  return found;
}
