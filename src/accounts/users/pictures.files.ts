import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../../platform/http/errors.ts";

export const MAX_PICTURE_BYTES = 1024 * 1024;

/** Types of picture, with the first bytes of such files in hexadecimal. */
const TYPES = [
  { ending: "png", mime: "image/png", start: /^89504e470d0a1a0a/ },
  { ending: "jpg", mime: "image/jpeg", start: /^ffd8ff/ },
  { ending: "webp", mime: "image/webp", start: /^52494646.{8}57454250/ },
];

/** Names generated here. No other name is looked up on disk. */
const NAME = /^[0-9a-f]{32}\.(png|jpg|webp)$/;

/** Users' pictures as files in one folder, created with the first one, under generated names. */
export class PictureFiles {
  constructor(private readonly folder: string) {}

  /** Stores a picture. @returns its name @throws ApiError 400 for another type of content */
  add(bytes: Uint8Array): string {
    const first = Buffer.from(bytes.subarray(0, 16)).toString("hex");
    const type = TYPES.find(({ start }) => start.test(first));
    if (!type) throw errors.badArgument("image", "a PNG, JPEG or WebP file");
    const name = `${randomBytes(16).toString("hex")}.${type.ending}`;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(join(this.folder, name), bytes, { mode: 0o600, flag: "wx" });
    } catch (error) {
      this.remove(name);
      throw error;
    }
    return name;
  }

  remove(name: string): void {
    if (NAME.test(name)) rmSync(join(this.folder, name), { force: true });
  }

  /** A picture with its content type; null when it does not exist. */
  read(name: string): { bytes: Uint8Array<ArrayBuffer>; mime: string } | null {
    const ending = NAME.exec(name)?.[1];
    const type = TYPES.find((each) => each.ending === ending);
    const path = join(this.folder, name);
    if (!type || !existsSync(path)) return null;
    return { bytes: new Uint8Array(readFileSync(path)), mime: type.mime };
  }
}
