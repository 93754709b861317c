import { resolve } from "node:path";
import { copyDatabase } from "../../platform/storage/backup.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import { sqliteClient } from "../../platform/storage/open.ts";
import { restoreDatabase } from "../../platform/storage/restore.ts";
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
      const { kept, isVerified } = restoreDatabase(folder, file, has("--force"));
      io.print(`${resolve(folder.database)} is now what ${file} holds`);
      if (!isVerified) io.print(`${file} carries no checksum: only its structure was checked`);
      if (kept !== null) io.print(`the database before it is kept as ${resolve(kept)}`);
      return 0;
    },
  },
];
