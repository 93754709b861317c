import { setImmediate as nextTurn } from "node:timers/promises";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteEvents } from "../events/event-deletion.repository.ts";
import { deleteRecordsOfHost } from "./deleted-host-history.repository.ts";

// Rows per table that one step deletes, which takes a few milliseconds. Events cost more than other rows.
const EVENTS = 50;
const RECORDS = 500;

/** @returns whether there is more */
function deleteSome(db: Db, hostId: number): boolean {
  const events = deleteEvents(db, Number.MAX_SAFE_INTEGER, EVENTS, { ofHost: hostId });
  return deleteRecordsOfHost(db, hostId, RECORDS) === RECORDS || events === EVENTS;
}

/** Deletes most history of hosts in small steps, before the hosts themselves, so that agents are served. */
export async function deleteHistoryOfHosts(db: Db, hostIds: readonly number[]): Promise<void> {
  for (const hostId of hostIds) {
    while (transaction(db, () => deleteSome(db, hostId))) await nextTurn();
    await nextTurn();
  }
}
