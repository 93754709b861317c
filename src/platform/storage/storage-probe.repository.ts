import { eq } from "drizzle-orm";
import { type Db, transaction } from "./open.ts";
import { settings } from "./schema.ts";

const KEY = "storageprobe";
/** Size of a probe, bytes: a flush needs new pages, while a nearly full disk accepts a few bytes. */
const PROBE_BYTES = 256 * 1024;

/** Writes as much as a flush of messages does, and deletes it again. @throws the database error */
export function probeStorage(db: Db): void {
  const value = "0".repeat(PROBE_BYTES);
  // Two transactions: in a single one, SQLite would not write to the disk.
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
