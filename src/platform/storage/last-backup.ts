/** When `muster backup` last made a backup. It is noted beside the database, which the command only reads. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivately } from "../files/durable-file.ts";

/** The file in the data folder. */
const NAME = "last-backup";

/** @param folder path of the data folder @param at unix seconds */
export function noteBackup(folder: string, at: number): void {
  writePrivately(join(folder, NAME), `${at}\n`);
}

/** When the last backup was made, unix seconds; null if none is noted in the data folder. */
export function lastBackup(folder: string): number | null {
  try {
    const at = Number(readFileSync(join(folder, NAME), "utf8"));
    return Number.isSafeInteger(at) && at > 0 ? at : null;
  } catch {
    return null;
  }
}
