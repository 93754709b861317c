import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writePrivately } from "../files/durable-file.ts";
import { readPrivately } from "../files/private-file.ts";
import { StartupError } from "../startup-error.ts";

const KEY_BYTES = 32;

/** Reads an existing secret key. @returns null if the file holds no key @throws StartupError if others can read it */
export function readSecretKey(path: string): Buffer | null {
  const text = readPrivately(path).trim();
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

/** Reads the secret key, or creates it. @throws StartupError if it is not a key, or others can read it */
export function loadSecretKey(path: string): Buffer {
  if (!existsSync(path)) {
    const key = randomBytes(KEY_BYTES);
    writePrivately(path, `${key.toString("hex")}\n`);
    return key;
  }
  const key = readSecretKey(path);
  if (!key) throw new StartupError(`${path} is not a key of Muster (64 hexadecimal digits)`);
  return key;
}
