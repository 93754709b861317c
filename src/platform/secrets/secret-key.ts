import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writePrivately } from "../files/durable-file.ts";
import { readPrivately } from "../files/private-file.ts";
import { StartupError } from "../startup-error.ts";

const KEY_BYTES = 32;

/** Reads the secret key, or creates it. @throws StartupError if it is not a key, or others can read it */
export function loadSecretKey(path: string): Buffer {
  if (!existsSync(path)) {
    const key = randomBytes(KEY_BYTES);
    writePrivately(path, `${key.toString("hex")}\n`);
    return key;
  }
  const text = readPrivately(path).trim();
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new StartupError(`${path} is not a key of Muster (64 hexadecimal digits)`);
  return Buffer.from(text, "hex");
}
