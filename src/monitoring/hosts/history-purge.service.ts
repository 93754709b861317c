import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteEvents } from "../events/event-deletion.repository.ts";
import { deleteRecordsOfHost } from "./history-purge.repository.ts";

/** Rows of a kind that are deleted at a time: some milliseconds' worth. Events cost more than others. */
const EVENTS = 50;
const RECORDS = 500;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** @returns whether there is more */
function deleteSome(db: Db, hostId: number): boolean {
  const events = deleteEvents(db, Number.MAX_SAFE_INTEGER, EVENTS, hostId);
  return deleteRecordsOfHost(db, hostId, RECORDS) === RECORDS || events === EVENTS;
}

/** Deletes most of the past of hosts that are about to be deleted, a little at a time, so that agents are answered meanwhile. */
export async function purgeHistory(db: Db, hostIds: readonly number[]): Promise<void> {
  for (const hostId of hostIds) {
    while (transaction(db, () => deleteSome(db, hostId))) await nextTurn();
    await nextTurn();
  }
}
