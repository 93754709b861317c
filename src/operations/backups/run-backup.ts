/** Makes a backup: copies the database, packs it, stores it, fetches it back and proves it, and removes outdated ones. */
import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Egress } from "../../platform/egress/egress.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { dataFolder } from "../../platform/storage/data-folder.ts";
import type { Db } from "../../platform/storage/open.ts";
import { databaseSize, engineName } from "../../platform/storage/size.repository.ts";
import { reasonOf } from "../../platform/text.ts";
import { VERSION } from "../../platform/version.ts";
import { hashing, writeArchive } from "./archive.ts";
import { identitiesIn } from "./identities.ts";
import type { BackupJob, BackupOutcome, BackupProgress } from "./job.ts";
import { outdated } from "./keeping.ts";
import type { Manifest } from "./manifest.ts";
import { backupName, createdOf } from "./names.ts";
import { openStore } from "./open-store.ts";
import { prove } from "./proof.ts";
import { takeSnapshot } from "./snapshot.ts";
import { assertSpace, RESERVE, spaceNeeded } from "./space.ts";
import type { BackupStore } from "./store.ts";
import { type Unfinished, UnfinishedBackups } from "./unfinished-backups.ts";

/** What a backup needs besides its job. */
export interface BackupSurroundings {
  /** Opens the database for reading. */
  open(): Db;
  egress: Pick<Egress, "request">;
  sleep(milliseconds: number): Promise<void>;
  report(progress: BackupProgress): void;
}

const DISK = "the disk of the data folder";

class Run {
  readonly #files: UnfinishedBackups;
  readonly #store: BackupStore;

  constructor(
    private readonly job: BackupJob,
    private readonly surroundings: BackupSurroundings,
  ) {
    this.#files = new UnfinishedBackups(job.folder);
    this.#store = openStore(job.target, { ...surroundings, rate: job.rate });
  }

  async make(): Promise<BackupOutcome> {
    const files = this.#files;
    files.make();
    const earlier = await this.#earlier();
    const lost = await this.#lostBackups();
    const packed = earlier ?? (await this.#pack());
    if (!packed.isStored) await this.#put(packed, earlier !== null);
    const { proof, trouble } = await this.#prove(packed);
    const { removed, trouble: removing } = await this.#removeOutdated(packed, proof === "proven");
    files.emptyButNote();
    return {
      name: packed.name,
      created: packed.manifest.created,
      bytes: packed.sum.bytes,
      databaseBytes: packed.manifest.bytes,
      proof,
      trouble: [trouble, lost, removing].filter((text) => text !== "").join("; "),
      removed,
    };
  }

  /** What an interrupted attempt left, if it can be resumed. */
  async #earlier(): Promise<Unfinished | null> {
    const { job } = this;
    const earlier = this.#files.unfinished(this.#store.description, job.recipients, job.now);
    if (!earlier) return null;
    const bytes = await this.#storedBytes(earlier.name);
    if (bytes === earlier.sum.bytes) return earlier;
    if (bytes === null) return earlier.isStored ? null : earlier;
    if (earlier.isStored) await this.#store.remove(earlier.name);
    return null;
  }

  /**
   * A warning if most of the earlier backups in a folder are gone; "" otherwise. Its disk may not be mounted: then the
   * new backup is stored on the disk of the machine.
   */
  async #lostBackups(): Promise<string> {
    const { stored, target } = this.job;
    if (target.kind !== "folder") return "";
    const present = new Set((await this.#store.list()).map(({ name }) => name));
    const gone = stored.filter(({ name }) => !present.has(name)).length;
    if (gone * 2 <= stored.length) return "";
    const what =
      stored.length === 1 ? "the earlier backup is" : `${gone} of the ${stored.length} earlier backups are`;
    return `${what} no longer there: is the right disk mounted?`;
  }

  /** The size of a backup at the place; null if there is none. */
  async #storedBytes(name: string): Promise<number | null> {
    return (await this.#store.list()).find((stored) => stored.name === name)?.bytes ?? null;
  }

  /** The time of the copy, unless the place has a backup of that second: then the next second that is free. */
  async #freeTime(): Promise<number> {
    const taken = new Set((await this.#store.list()).map(({ name }) => createdOf(name)));
    let time = this.job.now;
    while (taken.has(time)) time++;
    return time;
  }

  /** A phase whose bytes are not counted. */
  #begin(phase: BackupProgress["phase"]): void {
    this.surroundings.report({ phase, done: 0, total: 0 });
  }

  #measured(phase: BackupProgress["phase"], total: number): (bytes: number) => void {
    let done = 0;
    this.surroundings.report({ phase, done, total });
    return (bytes) => {
      done += bytes;
      this.surroundings.report({ phase, done, total });
    };
  }

  async #pack(): Promise<Unfinished> {
    const { job } = this;
    const files = this.#files;
    files.empty();
    const manifest = this.#copy(await this.#freeTime());
    this.#begin("packing");
    const key = job.recipients.length > 0 ? readFileSync(dataFolder(job.folder).key) : null;
    const content = { manifest, key, database: files.snapshot };
    const sum = await writeArchive(files.archive, content, job.recipients);
    rmSync(files.snapshot);
    assertSpace(this.#store.freeSpace(), sum.bytes, this.#store.description);
    const unfinished: Unfinished = {
      name: backupName(manifest.created, job.recipients.length > 0),
      place: this.#store.description,
      recipients: job.recipients,
      manifest,
      sum,
      upload: null,
      isStored: false,
    };
    files.save(unfinished);
    return unfinished;
  }

  /** @param created unix seconds */
  #copy(created: number): Manifest {
    const { job, surroundings } = this;
    const db = surroundings.open();
    try {
      const { data, place } = spaceNeeded(databaseSize(db), job.lastBytes);
      assertSpace(this.#files.freeSpace(), data, DISK);
      assertSpace(this.#store.freeSpace(), place, this.#store.description);
      this.#begin("copying");
      const content = takeSnapshot(db, job.migrations, this.#files.snapshot);
      const bytes = statSync(this.#files.snapshot).size;
      return { format: 1, version: VERSION, engine: engineName(db), created, bytes, ...content };
    } finally {
      db.$client.close();
    }
  }

  /** @param isRepeated whether an earlier attempt packed it */
  async #put(packed: Unfinished, isRepeated: boolean): Promise<void> {
    await this.#store.put(this.#files.archive, packed.name, {
      isRepeated,
      resumed: packed.upload,
      save: (upload) => this.#files.save({ ...packed, upload }),
      step: this.#measured("storing", packed.sum.bytes),
    });
    this.#files.save({ ...packed, isStored: true });
  }

  /** Fetches the backup back. @throws StartupError when it is not what was sent, and was removed */
  async #fetch(packed: Unfinished): Promise<void> {
    const { name, sum } = packed;
    try {
      if ((await this.#fetchedSum(packed)) === sum.sha256) return;
    } catch (error) {
      // If the place has all that was sent, only the connection failed.
      if ((await this.#storedBytes(name)) === sum.bytes) throw error;
    }
    // It is worthless, and the next attempt must not resume it.
    this.#files.empty();
    await this.#store.remove(name);
    throw new StartupError(`${this.#store.description}: ${name} is not what was sent, so it was removed`);
  }

  /** What the place has of the backup. @throws StartupError where it is longer than what was sent: it may have no end */
  async *#stored({ name, sum }: Unfinished): AsyncGenerator<Uint8Array> {
    let left = sum.bytes;
    for await (const chunk of this.#store.read(name)) {
      left -= chunk.length;
      if (left < 0)
        throw new StartupError(`${this.#store.description}: ${name} is longer than what was sent`);
      yield chunk;
    }
  }

  /** Fetches the backup to a file. @returns its SHA-256, hexadecimal */
  async #fetchedSum(packed: Unfinished): Promise<string> {
    const hash = createHash("sha256");
    const step = this.#measured("reading back", packed.sum.bytes);
    const file = createWriteStream(this.#files.fetched, { mode: 0o600 });
    await pipeline(this.#stored(packed), hashing(hash, step), file);
    return hash.digest("hex");
  }

  async #prove(packed: Unfinished): Promise<Pick<BackupOutcome, "proof" | "trouble">> {
    const { job } = this;
    // What was sent is no longer needed, and what comes back may need its space.
    rmSync(this.#files.archive, { force: true });
    await this.#fetch(packed);
    const isReadable = job.recipients.length === 0 || job.identityFile !== null;
    // A backup that was resumed after an upgrade has the tables of the earlier version, which this one cannot examine.
    if (!isReadable || packed.manifest.version !== VERSION) return { proof: "verified", trouble: "" };
    this.#begin("restoring");
    try {
      assertSpace(this.#files.freeSpace(), packed.manifest.bytes + RESERVE, DISK);
      const folder = this.#files.restored;
      // An attempt that was killed may have left some of it.
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
      await prove(this.#files.fetched, folder, {
        manifest: packed.manifest,
        identities: job.recipients.length > 0 ? identitiesIn(job.identityFile ?? "") : [],
        key: dataFolder(job.folder).key,
      });
      return { proof: "proven", trouble: "" };
    } catch (error) {
      return { proof: "verified", trouble: `it could not be proven: ${reasonOf(error)}` };
    }
  }

  async #removeOutdated(
    { name, manifest: { created } }: Unfinished,
    isProven: boolean,
  ): Promise<Pick<BackupOutcome, "removed" | "trouble">> {
    const { stored, keeping, timezone } = this.job;
    this.#begin("tidying up");
    const removed: string[] = [];
    // If the clock was set back since, others look newer than this backup. They stay, and take the place of none.
    const earlier = stored.filter((backup) => backup.created < created);
    const candidates = outdated([...earlier, { name, created, isProven }], keeping, timezone);
    try {
      for (const backup of candidates) {
        await this.#store.remove(backup.name);
        removed.push(backup.name);
      }
      return { removed, trouble: "" };
    } catch (error) {
      return { removed, trouble: `outdated backups could not be removed: ${reasonOf(error)}` };
    }
  }
}

/**
 * Makes a backup, or resumes one that was interrupted before it was recorded. The caller empties the folder of
 * unfinished backups once the backup is recorded.
 * @throws StartupError if no backup was made; earlier backups stay as they are
 */
export function runBackup(job: BackupJob, surroundings: BackupSurroundings): Promise<BackupOutcome> {
  return new Run(job, surroundings).make();
}
