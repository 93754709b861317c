import type { NewChannel } from "../../src/alerting/channels/channels.repository.ts";
import type { Db } from "../../src/platform/storage/open.ts";
import { channels } from "../../src/platform/storage/schema.ts";

/** Stores a channel. Columns that are left out have their defaults. @returns its id */
export function insertChannel(db: Db, row: NewChannel): number {
  return db.insert(channels).values(row).returning({ id: channels.id }).get().id;
}
