/** Moves all data from a database file to a PostgreSQL server, or back. */
import { resolve } from "node:path";
import { ConfigError, databaseUrl } from "../../platform/config/values.ts";
import type { MovedRows, MoveProgress } from "../../platform/storage/move/copy.ts";
import { moveToFile } from "../../platform/storage/move/move-to-file.ts";
import { moveToServer } from "../../platform/storage/move/move-to-server.ts";
import { describe, parseWithPasswordOf } from "../../platform/storage/postgres/database-url.ts";
import type { PostgresOptions } from "../../platform/storage/postgres/options.ts";
import { counted } from "../../platform/text.ts";
import type { Command, CommandLine, Io } from "./command.ts";

const TO = { flag: "--to", value: "ADDRESS", doc: "copy muster.db to this empty database" };
const FROM = { flag: "--from", value: "ADDRESS", doc: "copy this database to a data folder that has none" };

/** Width of the progress bar, characters. */
const BAR = 30;

function bar({ table, doneRows, totalRows }: MoveProgress): string {
  const doneShare = doneRows / totalRows;
  const filled = Math.floor(doneShare * BAR);
  return `[${"#".repeat(filled)}${".".repeat(BAR - filled)}] ${Math.floor(doneShare * 100)}%  ${table}`;
}

/** Shows each change of the bar on a terminal; elsewhere, a line for every 10 %. */
function progressOn(io: Io): (at: MoveProgress) => void {
  let shownLine = "";
  return (at) => {
    const line = io.progress ? bar(at) : `${Math.floor((10 * at.doneRows) / at.totalRows)}0%`;
    if (line === shownLine) return;
    shownLine = line;
    if (io.progress) io.progress(line);
    else io.print(line);
  };
}

/**
 * The database that an option names. What it lacks, above all the password, comes from the variable, which must then
 * name the same database, or from the passfile.
 */
function serverOf({ flag }: { flag: string }, args: CommandLine): PostgresOptions {
  const text = args.value(flag) ?? "";
  let fromUrl: PostgresOptions;
  try {
    fromUrl = databaseUrl(text);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${flag}: ${error.message}`) : error;
  }
  if (fromUrl.password !== null)
    throw new ConfigError(
      `${flag}: must not contain a password, which every user of the machine could see: use MUSTER_DATABASE, or a passfile`,
    );
  const { server } = args.folder;
  if (server === null) return fromUrl;
  if (describe(server) !== describe(fromUrl))
    throw new ConfigError(`${flag} and MUSTER_DATABASE name different databases`);
  return parseWithPasswordOf(server, text);
}

function printMoved(moved: readonly MovedRows[], io: Io): void {
  io.progress?.("");
  for (const { table, rows } of moved) if (rows > 0) io.print(`${table}: ${counted(rows, "row")}, compared`);
}

export const moveCommand: Command = {
  name: "move",
  summary: "copy all data to a PostgreSQL database, or from one; not while a server runs",
  options: [TO, FROM],
  run: (args, io) => {
    const { folder } = args;
    if (args.has(TO.flag) === args.has(FROM.flag)) throw new ConfigError("move needs either --to or --from");
    const report = progressOn(io);
    if (args.has(TO.flag)) {
      const server = serverOf(TO, args);
      printMoved(moveToServer(folder, server, report), io);
      io.print(`copied ${resolve(folder.database)} to ${describe(server)}; the file is unchanged`);
      return 0;
    }
    const server = serverOf(FROM, args);
    printMoved(moveToFile(server, folder, report), io);
    io.print(`copied ${describe(server)} to ${resolve(folder.database)}; the server is unchanged`);
    return 0;
  },
};
