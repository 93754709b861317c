import { createWriteStream, existsSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { putInPlace, syncFolder } from "../../platform/files/durable-file.ts";
import { fileReason } from "../../platform/files/file-reason.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { createdOf } from "./names.ts";
import type { Pace } from "./pace.ts";
import type { BackupStore, PutOptions, StoredFile } from "./store.ts";

/** Bytes that are read at a time. */
const CHUNK = 1024 * 1024;
/** Ending of a file that is being written. */
const PARTIAL = ".partial";

/** A folder, usually on another disk or a mount. */
export class FolderStore implements BackupStore {
  constructor(
    private readonly folder: string,
    private readonly pace: Pace,
  ) {}

  get description(): string {
    return this.folder;
  }

  freeSpace(): number {
    return this.#explained(() => {
      const { bavail, bsize } = statfsSync(this.folder);
      return bavail * bsize;
    });
  }

  async list(): Promise<StoredFile[]> {
    return this.#explained(() =>
      readdirSync(this.folder)
        .filter((name) => createdOf(name) !== null)
        .sort()
        .flatMap((name) => {
          // Others may have put a folder there, or a link that leads nowhere.
          const file = statSync(join(this.folder, name), { throwIfNoEntry: false });
          return file?.isFile() ? [{ name, bytes: file.size }] : [];
        }),
    );
  }

  async put(file: string, name: string, { step, isRepeated }: PutOptions): Promise<void> {
    const path = join(this.folder, name);
    if (isRepeated && existsSync(path) && statSync(path).size === statSync(file).size) return;
    if (existsSync(path)) throw new StartupError(`${path} exists already; nothing was written`);
    const partial = path + PARTIAL;
    try {
      this.#removePartial();
      await pipeline(this.#chunksOf(file, step), createWriteStream(partial, { flags: "wx", mode: 0o600 }));
      putInPlace(partial, path);
    } catch (error) {
      rmSync(partial, { force: true });
      throw new StartupError(`${path} cannot be written: ${fileReason(error)}`);
    }
  }

  async *read(name: string): AsyncGenerator<Uint8Array> {
    const path = join(this.folder, name);
    try {
      yield* this.#chunksOf(path);
    } catch (error) {
      throw new StartupError(`${path} cannot be read: ${fileReason(error)}`);
    }
  }

  /** Reads a file at the rate. @param step called with the number of bytes that the reader has taken */
  async *#chunksOf(path: string, step: (bytes: number) => void = () => undefined) {
    const file = await open(path);
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK);
        if (bytesRead === 0) return;
        await this.pace.spend(bytesRead);
        yield buffer.subarray(0, bytesRead);
        step(bytesRead);
      }
    } finally {
      // A removed file keeps its space while it is open, and the next step may need that.
      await file.close();
    }
  }

  async remove(name: string): Promise<void> {
    this.#explained(() => {
      rmSync(join(this.folder, name), { force: true });
      syncFolder(this.folder);
    });
  }

  /** Removes what a process that was killed left behind. */
  #removePartial(): void {
    const partials = readdirSync(this.folder).filter(
      (name) => name.endsWith(PARTIAL) && createdOf(name.slice(0, -PARTIAL.length)) !== null,
    );
    for (const name of partials) rmSync(join(this.folder, name), { force: true });
  }

  #explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new StartupError(`${this.folder} cannot be used: ${fileReason(error)}`);
    }
  }
}
