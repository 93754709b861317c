import { gunzipSync } from "node:zlib";
import { errors } from "../platform/http/errors.ts";

/** Largest body once inflated, bytes. */
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
/** What inflates to more than so many bytes is left to the thread for large messages. */
export const INFLATED_AT_ONCE = 256 * 1024;

/** Of bodies up to this many bytes it can be said that they inflate to little: a byte stands for a thousand at most. */
const SMALL_BODY = 16 * 1024;
/** What gzip ends with: the length of what was compressed. */
const LENGTH_BYTES = 4;

/**
 * Inflates a gzipped body.
 * @returns null for one that becomes larger than what is inflated at once
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
 * Inflates any body: it may take 20 ms, and as much memory as there is to inflate.
 * @throws ApiError 400 for a damaged body, 413 for one that becomes too large
 */
export function inflateLarge(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw error instanceof RangeError ? errors.bodyTooLarge(MAX_INFLATED_BYTES) : damagedGzip();
  }
}

/**
 * Inflates in half the time (5 us for an ordinary message), but only what is a single member, as agents send it, and
 * says to be small; null for anything else.
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
    // What is wrong with it, the other one says.
    return null;
  }
}

export function damagedGzip() {
  return errors.badRequest("The body is no well-formed gzip");
}
