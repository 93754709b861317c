import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { writePrivately } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";

const KEY_BYTES = 32;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Reads the secret key, or creates it. @throws StartupError when it is no key or others can read it */
export function loadSecretKey(path: string): Buffer {
  if (!existsSync(path)) {
    const key = randomBytes(KEY_BYTES);
    writePrivately(path, `${key.toString("hex")}\n`);
    return key;
  }
  if (process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0)
    throw new StartupError(`${path} can be read by others; run: chmod 600 ${path}`);
  const text = readFileSync(path, "utf8").trim();
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new StartupError(`${path} is no key of Muster (64 hexadecimal digits)`);
  return Buffer.from(text, "hex");
}
