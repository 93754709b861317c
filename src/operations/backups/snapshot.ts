/** The copy of the database that a backup holds, the same for both engines: one SQLite file. */
import { rmSync } from "node:fs";
import { desc } from "drizzle-orm";
import { StartupError } from "../../platform/startup-error.ts";
import { copyDatabase } from "../../platform/storage/backup.ts";
import { addChecksum } from "../../platform/storage/checksum.ts";
import { closing } from "../../platform/storage/closing.ts";
import { copyServerTo } from "../../platform/storage/move/move-to-file.ts";
import { countRows } from "../../platform/storage/move/rows.repository.ts";
import { movedTables } from "../../platform/storage/move/tables.ts";
import { type Db, openReadOnly, sqliteClient } from "../../platform/storage/open.ts";
import { events } from "../../platform/storage/schema.ts";
import { engineName } from "../../platform/storage/size.repository.ts";
import { reasonOf } from "../../platform/text.ts";
import type { Manifest } from "./manifest.ts";

/** What a copy holds, to compare it with another. */
export type Content = Pick<Manifest, "rows" | "newestEvent">;

function newestEvent(db: Db): Content["newestEvent"] {
  const columns = { id: events.id, date: events.date };
  return db.select(columns).from(events).orderBy(desc(events.id)).limit(1).get() ?? null;
}

/** Counts what a database file holds. */
export function contentOf(file: string): Content {
  const db = openReadOnly(file);
  return closing(db.$client, (client) => ({
    rows: Object.fromEntries(movedTables().map((table) => [table.name, countRows(client, table)])),
    newestEvent: newestEvent(db),
  }));
}

/**
 * Copies the database as of one moment, while others write to it, with a checksum.
 * @param migrations folder of the migrations
 * @throws StartupError, with no file left, when it cannot be written or lacks events that were stored before
 */
export function takeSnapshot(db: Db, migrations: string, file: string): Content {
  const newestBefore = newestEvent(db)?.id ?? 0;
  try {
    if (engineName(db) === "SQLite") copyDatabase(sqliteClient(db), file);
    else {
      copyServerTo(file, db, migrations, () => undefined);
      addChecksum(file);
    }
    const content = contentOf(file);
    if ((content.newestEvent?.id ?? 0) < newestBefore)
      throw new StartupError("the copy lacks the newest events: see muster doctor");
    return content;
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof StartupError ? error : new StartupError(`the copy failed: ${reasonOf(error)}`);
  }
}
