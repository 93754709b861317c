/** secret.key beside the database it belongs to. */
import type { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { putInPlace, syncFolder } from "../database/durable-file.ts";
import { shareOwner } from "../database/ownership.ts";
import { Refusal } from "../refusal.ts";
import { sealedSample } from "./sealed.repository.ts";
import { SecretBox } from "./secret-box.ts";
import { KEY_BYTES, loadSecretKey } from "./secret-key.ts";

/** Where a new key waits until the database is sealed with it. */
const nextKey = (path: string) => `${path}.new`;

function opens(box: SecretBox, sealed: string): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * The box of the key at `path`, which is made if there is no database yet. A change of the key that broke off left two:
 * the one that opens the database is taken.
 * @param client the database, or null when there is none
 * @param exclusive whether the folder is locked: then what such a change left is put in order
 * @throws Refusal when the key is missing, is not that of the database, or others can read it
 */
export function openSecretBox(path: string, client: Database | null, exclusive: boolean): SecretBox {
  const sealed = client && sealedSample(client);
  if (!sealed) {
    const box = new SecretBox(loadSecretKey(path));
    shareOwner(path);
    return box;
  }
  const files = [path, nextKey(path)].filter((file) => existsSync(file));
  if (files.length === 0)
    throw new Refusal(
      `${path} is missing: the database's passwords open only with it; put it back, or, if it is lost for good, see muster rotate-key --help`,
    );
  for (const file of files) {
    const box = new SecretBox(loadSecretKey(file));
    if (!opens(box, sealed)) continue;
    if (exclusive && file !== path) putInPlace(file, path);
    if (exclusive && file === path) rmSync(nextKey(path), { force: true });
    return box;
  }
  throw new Refusal(`${path} is not the key of the database beside it; put back the one that is`);
}

/**
 * Replaces the key. Whenever it breaks off, `openSecretBox` finds the key that fits. The caller holds the folder's lock.
 * @param reseal seals the whole database with the new key, in one transaction
 */
export function replaceKey(path: string, reseal: (next: SecretBox) => void): void {
  const key = randomBytes(KEY_BYTES);
  rmSync(nextKey(path), { force: true });
  writeFileSync(nextKey(path), `${key.toString("hex")}\n`, { mode: 0o600, flag: "wx", flush: true });
  shareOwner(nextKey(path));
  syncFolder(dirname(path));
  reseal(new SecretBox(key));
  putInPlace(nextKey(path), path);
}
