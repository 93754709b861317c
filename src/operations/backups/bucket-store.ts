import { closeSync, openSync, readSync, statSync } from "node:fs";
import { StartupError } from "../../platform/startup-error.ts";
import { type BucketClient, BucketError, elementText } from "./bucket.client.ts";
import { createdOf } from "./names.ts";
import type { Pace } from "./pace.ts";
import type { BackupStore, PutOptions, StoredFile, UploadProgress } from "./store.ts";

/** Least size of a part, bytes. A service takes no less than 5 MiB and at most 10,000 parts. */
const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 9000;
/** The most pages of a list, which usually have 1000 objects each, and the most backups in it. */
const MOST_PAGES = 1000;
const MOST_BACKUPS = 100_000;

/** Codes of errors after which an upload cannot be completed: services forget uploads that take too long. */
const LOST_UPLOAD: ReadonlySet<string> = new Set(["NoSuchUpload", "InvalidPart"]);

/** The texts between the tags of an element, wherever it is in a document. */
function elements(document: string, name: string): string[] {
  return document
    .split(`<${name}>`)
    .slice(1)
    .flatMap((text) => {
      const end = text.indexOf(`</${name}>`);
      return end < 0 ? [] : [text.slice(0, end)];
    });
}

function partBytesOf(fileBytes: number): number {
  return Math.max(PART_BYTES, Math.ceil(fileBytes / MOST_PARTS));
}

/** A bucket with the interface of S3. */
export class BucketStore implements BackupStore {
  constructor(
    private readonly client: BucketClient,
    private readonly prefix: string,
    private readonly pace: Pace,
  ) {}

  get description(): string {
    return this.client.description;
  }

  freeSpace(): null {
    return null;
  }

  list(): Promise<StoredFile[]> {
    return this.#named("");
  }

  /** The backups whose names begin with a text. */
  async #named(begin: string): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    const prefix = this.prefix + begin;
    const depth = this.prefix.split("/").length - 1;
    let token: string | undefined;
    let pages = 0;
    do {
      if (++pages > MOST_PAGES || files.length > MOST_BACKUPS)
        throw new StartupError(`${this.description}: the list of the bucket does not end`);
      const { body } = await this.client.request({
        method: "GET",
        name: null,
        query: { "list-type": "2", prefix, delimiter: "/", ...(token && { "continuation-token": token }) },
      });
      if (!body.includes("<ListBucketResult"))
        throw new StartupError(
          `${this.description}: the answer is not that of a bucket: check the URL of the service`,
        );
      if (!body.includes("</ListBucketResult>"))
        throw new StartupError(`${this.description}: the bucket sent an incomplete list`);
      for (const entry of elements(body, "Contents")) {
        // Some services ignore the delimiter. Objects further down belong to another place.
        const [name = "", ...deeper] = (elementText(entry, "Key") ?? "").split("/").slice(depth);
        if (deeper.length === 0 && createdOf(name) !== null)
          files.push({ name, bytes: Number(elementText(entry, "Size")) });
      }
      token = elementText(body, "NextContinuationToken");
    } while (token !== undefined);
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async put(file: string, name: string, options: PutOptions): Promise<void> {
    const bytes = statSync(file).size;
    const present = await this.#sizeOf(name);
    if (present !== null) {
      if (options.isRepeated && present === bytes) return;
      throw new StartupError(`${this.description}${name} exists already; nothing was written`);
    }
    try {
      await this.#upload(file, name, bytes, options);
    } catch (error) {
      if (!(error instanceof BucketError && LOST_UPLOAD.has(error.code))) throw error;
      if ((await this.#sizeOf(name)) === bytes) return;
      await this.#upload(file, name, bytes, { ...options, resumed: null });
    }
  }

  async *read(name: string): AsyncIterable<Uint8Array> & AsyncGenerator<Uint8Array> {
    const bytes = await this.#sizeOf(name);
    if (bytes === null) throw new StartupError(`${this.description}${name} is not there`);
    for (let from = 0; from < bytes; from += PART_BYTES) {
      const length = Math.min(PART_BYTES, bytes - from);
      await this.pace.spend(length);
      yield await this.#range(name, from, length);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.client.request({ method: "DELETE", name });
    } catch (error) {
      // Most services answer 204 also if someone else removed it before; some do not.
      if (!(error instanceof BucketError && error.code === "NoSuchKey")) throw error;
    }
  }

  /**
   * The size of an object, bytes; null if there is none. A refused list comes with a reason, and a refused HEAD does
   * not.
   */
  async #sizeOf(name: string): Promise<number | null> {
    return (await this.#named(name)).find((file) => file.name === name)?.bytes ?? null;
  }

  async #range(name: string, from: number, length: number): Promise<Uint8Array> {
    const { bytes } = await this.client.request({
      method: "GET",
      name,
      headers: { Range: `bytes=${from}-${from + length - 1}` },
      answerBytes: length,
    });
    return bytes;
  }

  async #upload(file: string, name: string, bytes: number, { resumed, save, step }: PutOptions) {
    const upload = resumed ?? (await this.#begin(name, bytes));
    if (!resumed) save(upload);
    const descriptor = openSync(file, "r");
    try {
      const parts = Math.max(1, Math.ceil(bytes / upload.partBytes));
      step(Math.min(bytes, upload.tags.length * upload.partBytes));
      for (let part = upload.tags.length; part < parts; part++) {
        const length = Math.min(upload.partBytes, bytes - part * upload.partBytes);
        const body = Buffer.alloc(length);
        readSync(descriptor, body, 0, length, part * upload.partBytes);
        upload.tags.push(await this.#sendPart(name, upload.id, part + 1, body));
        save(upload);
        step(length);
      }
    } finally {
      closeSync(descriptor);
    }
    await this.#complete(name, upload);
  }

  async #begin(name: string, bytes: number): Promise<UploadProgress> {
    const { body } = await this.client.request({ method: "POST", name, query: { uploads: "" } });
    const id = elementText(body, "UploadId");
    if (id === undefined) throw new StartupError(`${this.description}: the bucket did not begin an upload`);
    return { id, partBytes: partBytesOf(bytes), tags: [] };
  }

  async #sendPart(name: string, uploadId: string, partNumber: number, body: Uint8Array): Promise<string> {
    await this.pace.spend(body.length);
    const query = { partNumber: String(partNumber), uploadId };
    const { headers } = await this.client.request({ method: "PUT", name, query, body });
    const tag = headers.etag;
    if (tag === undefined) throw new StartupError(`${this.description}: the bucket sent no tag for a part`);
    return tag;
  }

  async #complete(name: string, { id, tags }: UploadProgress): Promise<void> {
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    await this.client.request({ method: "POST", name, query: { uploadId: id }, body });
  }
}
