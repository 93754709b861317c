import { gunzipSync } from "node:zlib";
import { errors } from "../platform/http/errors.ts";

/** Largest inflated body, bytes. */
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
/** Bodies that inflate to more than this many bytes go to the large-message worker. */
export const INFLATED_AT_ONCE = 256 * 1024;

/** Bodies of up to this many bytes inflate to at most 17 MB: gzip expands by a factor of at most 1,032. */
const SMALL_BODY = 16 * 1024;
/** Length of the gzip trailer field that holds the uncompressed size. */
const LENGTH_BYTES = 4;

/**
 * Inflates a gzipped body of up to `INFLATED_AT_ONCE` bytes uncompressed.
 * @returns null for a larger one
 * @throws ApiError 400 for a damaged body
 */
export function inflateSmall(body: Uint8Array): Uint8Array | null {
  const inflated = inflatedMember(body);
  if (inflated) return inflated;
  try {
    return gunzipSync(body, { maxOutputLength: INFLATED_AT_ONCE });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw damagedGzip();
  }
}

/**
 * Inflates a body of up to `MAX_INFLATED_BYTES` uncompressed. Blocks for up to 20 ms.
 * @throws ApiError 400 for a damaged body, 413 for one that inflates to more
 */
export function inflateLarge(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw error instanceof RangeError ? errors.bodyTooLarge(MAX_INFLATED_BYTES) : damagedGzip();
  }
}

/**
 * Fast path: inflates a single gzip member whose trailer declares a small size, which is what agents send.
 * Takes half the time of the general path (5 us for an ordinary message). Returns null for anything else.
 */
function inflatedMember(body: Uint8Array): Uint8Array | null {
  if (body.byteLength < LENGTH_BYTES || body.byteLength > SMALL_BODY) return null;
  const length = new DataView(body.buffer, body.byteOffset + body.byteLength - LENGTH_BYTES).getUint32(
    0,
    true,
  );
  if (length > INFLATED_AT_ONCE) return null;
  try {
    const inflated = Bun.gunzipSync(body as Uint8Array<ArrayBuffer>);
    return inflated.byteLength === length ? inflated : null;
  } catch {
    // The general path determines the error.
    return null;
  }
}

/** The error 400 for a body that cannot be inflated. */
export function damagedGzip() {
  return errors.badRequest("The body is not well-formed gzip");
}
