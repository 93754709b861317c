import { randomBytes } from "node:crypto";

/** Largest picture, bytes. Each user has at most one. */
export const MAX_PICTURE_BYTES = 1024 * 1024;

/** Types of picture, with the first bytes of such files in hexadecimal. */
const TYPES = [
  { ending: "png", mime: "image/png", start: /^89504e470d0a1a0a/ },
  { ending: "jpg", mime: "image/jpeg", start: /^ffd8ff/ },
  { ending: "webp", mime: "image/webp", start: /^52494646.{8}57454250/ },
];

/** A new name for a picture, with the ending of its type; null when the content is not a picture. */
export function newPictureName(bytes: Uint8Array): string | null {
  const firstBytes = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const type = TYPES.find(({ start }) => start.test(firstBytes));
  return type ? `${randomBytes(16).toString("hex")}.${type.ending}` : null;
}

/** The content type of a picture with this name. */
export function pictureMime(name: string): string | undefined {
  return TYPES.find(({ ending }) => name.endsWith(`.${ending}`))?.mime;
}
