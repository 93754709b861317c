/** The database of the service: a file of its own, or a server that several nodes share. */
import type { Log } from "../../platform/log.ts";
import { type DataFolder, openForService } from "../../platform/storage/data-folder.ts";
import { DatabaseFile } from "../../platform/storage/database-file.ts";
import { closeDatabase } from "../../platform/storage/open.ts";
import { quickDamage } from "../../platform/storage/quick-check.ts";
import { VERSION } from "../../platform/version.ts";
import type { ServiceContext, ServiceDatabase } from "./service-database.types.ts";
import { openShared } from "./waiting-node.ts";

/** Opens the database in the data folder. The caller holds the folder's lock. @throws StartupError */
function openFile(folder: DataFolder, log: Log): ServiceDatabase {
  const { db, box } = openForService(folder, (step) => {
    if (step.kind === "copy")
      log.info("the database is being copied before it is migrated", {
        database: folder.database,
        bytes: step.bytes,
        backup: step.copy,
      });
    else if (step.kind === "migrate")
      log.info("the database is being migrated to this version", { version: VERSION, backup: step.copy });
    else
      log.warn(
        "rows refer to missing ones, as before the migration: muster doctor finds them, and muster doctor --repair deletes those that belong to what is missing",
        { tables: step.rows },
      );
  });
  const finding = quickDamage(db);
  if (finding !== null)
    log.error("the database is damaged: run muster doctor; undamaged parts remain in use", { finding });
  return {
    db,
    box,
    file: new DatabaseFile(folder.database),
    nodes: null,
    readPlace: { kind: "file", path: folder.database },
    replaced: new AbortController().signal,
    close: () => closeDatabase(db),
  };
}

/** @returns null when `stop` came before this node was needed @throws StartupError */
export async function openServiceDatabase(
  folder: DataFolder,
  context: ServiceContext,
): Promise<ServiceDatabase | null> {
  const { database } = context.config;
  return database === null ? openFile(folder, context.log) : openShared(database, folder, context);
}
