import { resolve } from "node:path";
import { systemClock } from "../../platform/clock.ts";
import { copyDatabase } from "../../platform/storage/backup.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import { noteBackup } from "../../platform/storage/last-backup.ts";
import { sqliteClient } from "../../platform/storage/open.ts";
import { restoreDatabase } from "../../platform/storage/restore.ts";
import { reasonOf } from "../../platform/text.ts";
import type { Command } from "./command.ts";

export const backupCommands: Command[] = [
  {
    name: "backup",
    onFileLike: "pg_dump",
    summary: "write a checked copy of the database to FILE, even while the server runs",
    operands: ["FILE"],
    run: ({ folder, operands }, io) => {
      const file = resolve(operands[0] ?? "");
      withDatabase(folder, ({ db }) => copyDatabase(sqliteClient(db), file));
      io.print(`wrote ${file}`);
      try {
        noteBackup(folder.path, systemClock.now());
      } catch (error) {
        // The backup itself is good. Noting it can fail, for example when the disk of the data folder is full.
        io.print(`Muster will not know of it: ${reasonOf(error)}`);
      }
      io.print(`Not in it, and to be kept apart from it: ${resolve(folder.key)}`);
      return 0;
    },
  },
  {
    name: "restore",
    onFileLike: "pg_restore",
    summary: "restore the database from a backup FILE; not while a server runs",
    operands: ["FILE"],
    options: [{ flag: "--force", doc: "replace an existing database, which is moved to the folder backups" }],
    run: ({ folder, operands, has }, io) => {
      const file = resolve(operands[0] ?? "");
      const { keptCopy, isVerified } = restoreDatabase(folder, file, has("--force"));
      io.print(`${resolve(folder.database)} is now what ${file} holds`);
      if (!isVerified) io.print(`${file} carries no checksum: only its structure was checked`);
      if (keptCopy !== null) io.print(`the database before it is kept as ${resolve(keptCopy)}`);
      return 0;
    },
  },
];
