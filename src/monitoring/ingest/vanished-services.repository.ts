import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { sweep } from "../../platform/storage/sweep.ts";
import { idsIn, NO_LIMIT } from "../../platform/storage/words.ts";
import { forgetNameIds } from "../events/events.repository.ts";

/**
 * How many of the most recently vanished services are kept per host. A service that returns keeps its id and history.
 * The bound exists because services named after containers get a new name each time.
 */
export const MAX_VANISHED_SERVICES = 1000;

const statements = prepareOnce((db) => ({
  deleteOldest: db.$client.prepare<{ nameId: number }, [number, number]>(
    `delete from services where id in (
       select id from services where host_id = ? and vanished_at is not null
       order by vanished_at desc, id desc limit ${NO_LIMIT} offset ?
     ) returning name_id as "nameId"`,
  ),
  deleteNames: db.$client.prepare<null, [string]>(
    `delete from names where id in ${idsIn("?")}
       and not exists (select 1 from services where name_id = names.id)
       and not exists (select 1 from events where name_id = names.id)
       and not exists (select 1 from downtime_intervals where name_id = names.id)
       and not exists (select 1 from silent_recoveries where name_id = names.id)
       and not exists (select 1 from limit_states where name_id = names.id)
       and not exists (select 1 from limit_sums where name_id = names.id)
       and not exists (select 1 from alerts where name_id = names.id)`,
  ),
  namesAfter: db.$client.prepare<{ id: number }, [number, number]>(
    "select id from names where id > ? order by id limit ?",
  ),
}));

/** Deletes the names among these that are no longer used. */
function deleteUnusedNames(db: Db, nameIds: readonly number[]): void {
  if (nameIds.length === 0) return;
  statements(db).deleteNames.run(JSON.stringify(nameIds));
  forgetNameIds(db);
}

/** Deletes all but the most recently vanished services of a host, and names that are unused afterwards. */
export function deleteExcessVanished(db: Db, hostId: number): void {
  const deletedNames = statements(db).deleteOldest.all(hostId, MAX_VANISHED_SERVICES);
  deleteUnusedNames(
    db,
    deletedNames.map(({ nameId }) => nameId),
  );
}

/**
 * Deletes unused names in small steps. Names become unused when retention deletes services or events, and
 * when an administrator deletes a host.
 * @returns a function that checks the next `limit` names and returns how many it checked
 */
export function unusedNamesSweep(db: Db): (limit: number) => number {
  return sweep(
    (last, limit) => statements(db).namesAfter.all(last, limit),
    (ids) => deleteUnusedNames(db, ids),
  );
}
