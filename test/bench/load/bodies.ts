/**
 * Gzipped messages of any number of agents at little cost. What agents have in common is compressed once and shared;
 * the parts of a single agent precede and follow it uncompressed, within the same gzip stream.
 */
import { constants, crc32, deflateRawSync } from "node:zlib";

/** Deflated, method deflate, no flags, no time, made on Unix. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** Maximum length of a block of uncompressed data, bytes. */
const MAX_STORED = 65_535;

/** Text that many bodies contain. */
export interface Shared {
  plain: Buffer;
  /** A piece of a deflate stream that ends on a byte boundary and refers to nothing before it. */
  deflated: Buffer;
}

export function share(text: string): Shared {
  const plain = Buffer.from(text);
  return { plain, deflated: deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH }) };
}

/** @returns the offset of the next byte */
function writeStored(into: Buffer, at: number, text: string, isLast: boolean): number {
  const length = into.write(text, at + 5, "latin1");
  into[at] = isLast ? 1 : 0;
  into.writeUInt16LE(length, at + 1);
  into.writeUInt16LE(length ^ MAX_STORED, at + 3);
  return at + 5 + length;
}

/**
 * Writes the gzip of `before`, the shared text and `after`. Both are ASCII and shorter than 64 kB.
 * @param at offset of its first byte
 * @returns the offset of the next byte
 */
export function writeGzip(into: Buffer, at: number, before: string, shared: Shared, after: string): number {
  let end = at + GZIP_HEADER.copy(into, at);
  const firstAt = end + 5;
  end = writeStored(into, end, before, false);
  let sum = crc32(into.subarray(firstAt, end));
  end += shared.deflated.copy(into, end);
  sum = crc32(shared.plain, sum);
  const lastAt = end + 5;
  end = writeStored(into, end, after, true);
  sum = crc32(into.subarray(lastAt, end), sum);
  into.writeUInt32LE(sum, end);
  into.writeUInt32LE(before.length + shared.plain.byteLength + after.length, end + 4);
  return end + 8;
}
