import { timingSafeEqual } from "node:crypto";

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text) : text;
}

/** Compares two texts, or their bytes, in constant time, so that timing does not reveal where they differ. */
export function equalInConstantTime(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const left = bytesOf(a);
  const right = bytesOf(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
