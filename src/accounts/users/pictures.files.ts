import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../../platform/http/errors.ts";

/** Largest picture, bytes. */
export const MAX_PICTURE_BYTES = 1024 * 1024;

interface PictureType {
  ending: string;
  mime: string;
  /** Bytes (as Latin-1 text) that files of this type have at these offsets. */
  marks: readonly (readonly [offset: number, bytes: string])[];
}

const TYPES: readonly PictureType[] = [
  { ending: "png", mime: "image/png", marks: [[0, "\x89PNG\r\n\x1a\n"]] },
  { ending: "jpg", mime: "image/jpeg", marks: [[0, "\xff\xd8\xff"]] },
  {
    ending: "webp",
    mime: "image/webp",
    marks: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
];

/** Names generated here. No other name is looked up on disk. */
const NAME = /^[0-9a-f]{32}\.(png|jpg|webp)$/;

function typeOf(bytes: Uint8Array): PictureType | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return TYPES.find(({ marks }) => marks.every(([offset, mark]) => start.startsWith(mark, offset)));
}

/**
 * Users' pictures as files in one folder, under generated names. The folder is created with the first
 * picture.
 */
export class PictureFiles {
  constructor(private readonly folder: string) {}

  /** Stores a picture. @returns its name @throws ApiError 400 when the content is not a supported image type */
  add(bytes: Uint8Array): string {
    const type = typeOf(bytes);
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

  /** Removes a picture, if it exists. */
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
