import { eq } from "drizzle-orm";
import { type Db, transaction } from "./open.ts";
import { settings } from "./schema.ts";

const KEY = "storageprobe";
/** Bytes. A flush of messages needs new pages; a disk that takes only a few bytes does not take messages. */
const PROBE_BYTES = 256 * 1024;

/**
 * Stores as much as a flush of messages does, and deletes it again.
 * @throws what the database says
 */
export function probeStorage(db: Db): void {
  const value = "0".repeat(PROBE_BYTES);
  // Two transactions: within one, SQLite would write none of it to the disk.
  transaction(db, () => {
    db.insert(settings)
      .values({ key: KEY, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } })
      .run();
  });
  transaction(db, () => {
    db.delete(settings).where(eq(settings.key, KEY)).run();
  });
}
