/** A checksum in copies of the database. It finds changed content, such as a digit, which SQLite does not notice. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Bytes 72 to 91 of the header are reserved and zero. SQLite neither reads nor changes them. */
const OFFSET = 72;
const BYTES = 20;
const CHUNK = 1024 * 1024;

/** The truncated SHA-256 of the file, computed with the checksum's bytes as zero, and the stored checksum. */
function digestOf(descriptor: number): { digest: Buffer; stored: Buffer } {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK);
  let stored = Buffer.alloc(BYTES);
  let position = 0;
  for (;;) {
    const length = readSync(descriptor, chunk, 0, CHUNK, position);
    if (length === 0) break;
    if (position === 0) {
      stored = Buffer.from(chunk.subarray(OFFSET, OFFSET + BYTES));
      chunk.fill(0, OFFSET, OFFSET + BYTES);
    }
    hash.update(chunk.subarray(0, length));
    position += length;
  }
  return { digest: hash.digest().subarray(0, BYTES), stored };
}

function withFile<T>(file: string, flags: string, work: (descriptor: number) => T): T {
  const descriptor = openSync(file, flags);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Embeds the checksum in a finished copy. The file must not be open anywhere. */
export function addChecksum(file: string): void {
  withFile(file, "r+", (descriptor) => {
    writeSync(descriptor, digestOf(descriptor).digest, 0, BYTES, OFFSET);
  });
}

/** Compares a file with its checksum. @returns none when it has no checksum, like the live database */
export function verifyChecksum(file: string): "right" | "wrong" | "none" {
  const { digest, stored } = withFile(file, "r", digestOf);
  if (stored.every((byte) => byte === 0)) return "none";
  return stored.equals(digest) ? "right" : "wrong";
}
