import { timingSafeEqual } from "node:crypto";

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text) : text;
}

/** Compares two texts, or their bytes, in constant time, so that timing does not reveal where they differ. */
export function equalInConstantTime(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const aBytes = bytesOf(a);
  const bBytes = bytesOf(b);
  return aBytes.length === bBytes.length && timingSafeEqual(aBytes, bBytes);
}
