import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { putInPlace, shareOwner } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";

const KEY_BYTES = 32;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Reads the secret key, or creates it. @throws StartupError when it is no key or others can read it */
export function loadSecretKey(path: string): Buffer {
  if (!existsSync(path)) {
    const key = randomBytes(KEY_BYTES);
    const partial = `${path}.partial`;
    rmSync(partial, { force: true });
    writeFileSync(partial, `${key.toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    shareOwner(partial);
    putInPlace(partial, path);
    return key;
  }
  if (process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0)
    throw new StartupError(`${path} can be read by others; run: chmod 600 ${path}`);
  const text = readFileSync(path, "utf8").trim();
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new StartupError(`${path} is no key of Muster (64 hexadecimal digits)`);
  return Buffer.from(text, "hex");
}
