import { lt, sql } from "drizzle-orm";
import { deletionBefore } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { writeRows } from "../../platform/storage/rows.ts";
import { outputChanges } from "../../platform/storage/schema.ts";
import { sweep } from "../../platform/storage/sweep.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { excerpts } from "./output-change.ts";

/**
 * The most changes recorded for a service within an hour. The output of a program that prints the time changes with
 * every check.
 */
const MAX_CHANGES_PER_HOUR = 5;
/** How many of the newest changes are kept for a service, and for a host. */
const MAX_CHANGES_OF_SERVICE = 40;
const MAX_CHANGES_OF_HOST = 1000;

const insertChange = writeRows(
  { hostId: "integer", serviceId: "integer", date: "integer", before: "text", after: "text" },
  "hostId",
  ({ rows }) => `insert into output_changes (host_id, service_id, date, "before", "after")
    select host_id, service_id, date, "before", "after" from ${rows}
    where (select count(*) from output_changes as earlier where earlier.service_id = rows.service_id
      and earlier.date > rows.date - 3600) < ${MAX_CHANGES_PER_HOUR}`,
);

/** Records that the output of a program changed, unless it changed too often within the hour. */
export function recordOutputChange(
  db: Db,
  { hostId, serviceId, date }: { hostId: number; serviceId: number; date: number },
  before: string,
  after: string,
): void {
  insertChange(db, { hostId, serviceId, date, ...excerpts(before, after) });
}

/** Deletes up to `limit` changes from before a time, unix seconds. @returns how many */
export const deleteOldChanges = deletionBefore(
  outputChanges,
  lt(outputChanges.date, sql.placeholder("before")),
);

const statements = prepareOnce((db) => ({
  hostsAfter: db.$client.prepare<{ id: number }, [number, number]>(
    `select distinct host_id as "id" from output_changes where host_id > ? order by host_id limit ?`,
  ),
  deleteExcess: db.$client.prepare<null, [string, number, number]>(
    `delete from output_changes where id in (
       select id from (
         select id, row_number() over (partition by service_id order by date desc, id desc) as of_service,
           row_number() over (partition by host_id order by date desc, id desc) as of_host
         from output_changes where host_id in ${idsIn("?")}
       ) as ranked where of_service > ? or of_host > ?)`,
  ),
}));

/**
 * Deletes all but the newest changes of services and hosts, in small steps.
 * @returns a function that processes the next `limit` hosts and returns how many there were
 */
export function excessChangesSweep(db: Db): (limit: number) => number {
  const limits = [MAX_CHANGES_OF_SERVICE, MAX_CHANGES_OF_HOST] as const;
  return sweep(
    (last, limit) => statements(db).hostsAfter.all(last, limit),
    (ids) => void statements(db).deleteExcess.run(JSON.stringify(ids), ...limits),
  );
}
