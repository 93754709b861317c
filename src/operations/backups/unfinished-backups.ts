/** The folder in which backups are made, on the disk of the data folder. */
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DAY } from "../../platform/clock.ts";
import { makePrivateFolder, writePrivately } from "../../platform/files/durable-file.ts";
import { dataFolder } from "../../platform/storage/data-folder.ts";
import type { ArchiveSum } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import type { UploadProgress } from "./store.ts";

/** A packed backup that has yet to be stored or proven. */
export interface Unfinished {
  name: string;
  /** What it was packed for: settings may change before it is resumed. */
  place: string;
  recipients: readonly string[];
  manifest: Manifest;
  sum: ArchiveSum;
  upload: UploadProgress | null;
  isStored: boolean;
}

/** Age from which an unfinished backup is made anew, seconds. */
const TOO_OLD = DAY;

/**
 * The paths of the files of the backup in progress, and the note from which an interrupted one is resumed.
 * One process at a time uses it.
 */
export class UnfinishedBackups {
  readonly #path: string;

  /** @param folder path of the data folder */
  constructor(folder: string) {
    this.#path = join(dataFolder(folder).backups, "unfinished");
  }

  /** The folder of `muster restore`, apart from the files of a backup that may be resumed. */
  get restoring(): string {
    return join(this.#path, "restoring");
  }
  get snapshot(): string {
    return join(this.#path, "muster.db");
  }
  get archive(): string {
    return join(this.#path, "archive");
  }
  get fetched(): string {
    return join(this.#path, "fetched");
  }
  get restored(): string {
    return join(this.#path, "restored");
  }
  get #note(): string {
    return join(this.#path, "upload.json");
  }

  /** What an earlier attempt left, if that can be resumed. @param now unix seconds */
  unfinished(place: string, recipients: readonly string[], now: number): Unfinished | null {
    if (!existsSync(this.#note)) return null;
    const note: Unfinished = JSON.parse(readFileSync(this.#note, "utf8"));
    const isComplete = existsSync(this.archive) && statSync(this.archive).size === note.sum.bytes;
    const isSame = note.place === place && isDeepStrictEqual(note.recipients, recipients);
    const isRecent = Math.abs(now - note.manifest.created) < TOO_OLD;
    return isSame && isRecent && (note.isStored || isComplete) ? note : null;
  }

  /** Notes what the next attempt needs to resume this one. */
  save(unfinished: Unfinished): void {
    writePrivately(this.#note, JSON.stringify(unfinished));
  }

  /** Removes everything of earlier backups. */
  empty(): void {
    if (existsSync(this.#path))
      for (const name of readdirSync(this.#path))
        rmSync(join(this.#path, name), { recursive: true, force: true });
  }

  /** Removes all but the note of what was stored, so that it can still be recorded after a kill. */
  emptyButNote(): void {
    for (const path of [this.snapshot, this.archive, this.fetched, this.restored])
      rmSync(path, { recursive: true, force: true });
  }

  /** Makes the folder. */
  make(): void {
    // One after the other, as each folder gets the owner of its parent.
    for (const path of [dirname(this.#path), this.#path]) makePrivateFolder(path);
  }

  removeIfEmpty(): void {
    try {
      rmdirSync(this.#path);
    } catch {
      // It has the remains of a backup, or is a disk of its own.
    }
  }

  freeSpace(): number {
    const { bavail, bsize } = statfsSync(this.#path);
    return bavail * bsize;
  }
}
