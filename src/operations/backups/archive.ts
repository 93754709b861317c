/**
 * The file that a backup is stored as: a tar archive, compressed with zstd, and encrypted with age if there are public
 * keys. `age -d -i KEY FILE | zstd -d | tar x` opens it without Muster.
 */
import { createHash, type Hash } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { Decrypter, Encrypter } from "age-encryption";
import { createTarDecoder, createTarPacker, type ParsedTarEntry, type TarPackController } from "modern-tar";
import * as v from "valibot";
import { StartupError } from "../../platform/startup-error.ts";
import { reasonOf } from "../../platform/text.ts";
import { type Manifest, manifestSchema } from "./manifest.ts";

/** Names of the entries. The manifest is the first. */
const MANIFEST = "backup.json";
const KEY = "secret.key";
const DATABASE = "muster.db";

/** Bytes that are read at a time. */
const CHUNK = 1024 * 1024;
/** What an encrypted file begins with (age-encryption.org/v1). */
const AGE_MAGIC = "age-encryption.org/";
/** What a file compressed with zstd begins with (RFC 8878, 3.1.1). */
const ZSTD_MAGIC = "\x28\xb5\x2f\xfd";
/** Largest manifest and key that are accepted, bytes. */
const MAX_SMALL_ENTRY = 1024 * 1024;

export interface ArchiveContent {
  manifest: Manifest;
  /** Path of the database. */
  database: string;
  /** The content of secret.key; null to leave it out. */
  key: Uint8Array | null;
}

/** What identifies a finished archive. */
export interface ArchiveSum {
  bytes: number;
  /** SHA-256 of the whole file, hexadecimal. */
  sha256: string;
}

type Bytes = AsyncIterable<Uint8Array>;
/** A step of a pipeline. */
type Stage = (source: Bytes) => Bytes;

const readFile = (path: string): Bytes => createReadStream(path, { highWaterMark: CHUNK });

/** Reads the source only as fast as the stream is read: `Readable.toWeb` would hold all of it in memory. */
function webStream(source: Bytes): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return?.()),
    },
    { highWaterMark: 0 },
  );
}

async function* bytesFrom(stream: ReadableStream<Uint8Array>): Bytes & AsyncGenerator<Uint8Array> {
  yield* stream;
}

async function addEntry(controller: TarPackController, name: string, size: number, mtime: Date, body: Bytes) {
  const writer = controller.add({ name, size, mode: 0o600, mtime, type: "file" }).getWriter();
  for await (const chunk of body) await writer.write(chunk);
  await writer.close();
}

/** Adds the entries, no faster than the other end of the stream reads them. That end also gets any error. */
async function addEntries(controller: TarPackController, content: ArchiveContent): Promise<void> {
  const { manifest, database, key } = content;
  const mtime = new Date(manifest.created * 1000);
  const addBytes = (name: string, bytes: Uint8Array) =>
    addEntry(controller, name, bytes.length, mtime, Readable.from([bytes]));
  try {
    await addBytes(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    if (key) await addBytes(KEY, key);
    await addEntry(controller, DATABASE, statSync(database).size, mtime, readFile(database));
    controller.finalize();
  } catch (error) {
    controller.error(error);
  }
}

function encrypting(recipients: readonly string[]): Stage {
  return async function* (source) {
    if (recipients.length === 0) return yield* source;
    const encrypter = new Encrypter();
    for (const recipient of recipients) encrypter.addRecipient(recipient);
    yield* bytesFrom(await encrypter.encrypt(webStream(source)));
  };
}

/** Hashes what passes. @param step called with the number of bytes of each chunk */
export function hashing(hash: Hash, step: (bytes: number) => void = () => undefined): Stage {
  return async function* (source) {
    for await (const chunk of source) {
      hash.update(chunk);
      step(chunk.length);
      yield chunk;
    }
  };
}

/** Writes an archive. @param recipients public keys (age1...); without any it is not encrypted */
export async function writeArchive(
  file: string,
  content: ArchiveContent,
  recipients: readonly string[],
): Promise<ArchiveSum> {
  const { readable, controller } = createTarPacker();
  void addEntries(controller, content);
  const hash = createHash("sha256");
  await pipeline(
    bytesFrom(readable),
    createZstdCompress(),
    encrypting(recipients),
    hashing(hash),
    createWriteStream(file, { mode: 0o600, flush: true }),
  );
  return { bytes: statSync(file).size, sha256: hash.digest("hex") };
}

/** The first bytes of a file. */
function startOf(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const start = Buffer.alloc(AGE_MAGIC.length);
    readSync(descriptor, start, 0, start.length, 0);
    return start.toString("latin1");
  } finally {
    closeSync(descriptor);
  }
}

const isEncrypted = (file: string) => startOf(file) === AGE_MAGIC;

/** Whether a file is an archive, by what it begins with. */
export function isArchive(file: string): boolean {
  return isEncrypted(file) || startOf(file).startsWith(ZSTD_MAGIC);
}

function decrypting(identities: readonly string[]): Stage {
  return async function* (source) {
    const decrypter = new Decrypter();
    for (const identity of identities) decrypter.addIdentity(identity);
    yield* bytesFrom(await decrypter.decrypt(webStream(source)));
  };
}

async function smallEntry({ header, body }: ParsedTarEntry): Promise<Buffer> {
  if (header.size > MAX_SMALL_ENTRY) throw new Error(`${header.name} is too large`);
  return Buffer.from(await new Response(body).arrayBuffer());
}

interface Unpacked {
  manifest: Manifest | null;
  key: Buffer | null;
  isComplete: boolean;
}

async function takeEntry(entry: ParsedTarEntry, folder: string, unpacked: Unpacked): Promise<void> {
  const { name, size } = entry.header;
  if (name === MANIFEST)
    unpacked.manifest = v.parse(manifestSchema, JSON.parse(`${await smallEntry(entry)}`));
  else if (name === KEY) unpacked.key = await smallEntry(entry);
  else if (name === DATABASE) {
    const path = join(folder, DATABASE);
    await pipeline(bytesFrom(entry.body), createWriteStream(path, { mode: 0o600, flush: true }));
    // The runtime ends a truncated stream without an error.
    if (statSync(path).size !== size) throw new StartupError("it is truncated");
    unpacked.isComplete = true;
  } else throw new Error(`it has an entry ${name}, which no backup has`);
}

/** Why an archive could not be unpacked, for readers who do not know the libraries that report it. */
function unpackingFailure(error: unknown): string {
  const reason = reasonOf(error);
  if (reason.startsWith("no identity matched")) return "it is encrypted for other keys than this one";
  const isOfSystem = error instanceof Error && "syscall" in error;
  return isOfSystem || error instanceof StartupError ? reason : `it is damaged or truncated (${reason})`;
}

/**
 * Unpacks an archive into a folder, as muster.db. What it holds is not verified here.
 * @param identities private keys (AGE-SECRET-KEY-...)
 * @param source what the archive is called in errors
 * @throws StartupError when it is damaged, incomplete, or encrypted for other keys
 */
export async function readArchive(
  file: string,
  folder: string,
  identities: readonly string[],
  source = file,
): Promise<ArchiveContent> {
  const unpacked: Unpacked = { manifest: null, key: null, isComplete: false };
  try {
    const isSealed = isEncrypted(file);
    if (isSealed && identities.length === 0)
      throw new StartupError("it is encrypted: name the file of a private key with --identity");
    await pipeline(
      readFile(file),
      isSealed ? decrypting(identities) : (bytes: Bytes) => bytes,
      createZstdDecompress(),
      async (bytes: Bytes) => {
        const entries = webStream(bytes).pipeThrough(createTarDecoder({ strict: true }));
        for await (const entry of entries) await takeEntry(entry, folder, unpacked);
      },
    );
    const { manifest, key, isComplete } = unpacked;
    if (!manifest || !isComplete) throw new StartupError("it is truncated");
    return { manifest, key, database: join(folder, DATABASE) };
  } catch (error) {
    throw new StartupError(`${source} cannot be restored: ${unpackingFailure(error)}`);
  }
}
