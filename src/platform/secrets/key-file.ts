/** The file secret.key, which belongs to the database beside it. */
import { existsSync, rmSync } from "node:fs";
import { putInPlace } from "../files/durable-file.ts";
import { StartupError } from "../startup-error.ts";
import { type SealedTextReader, sealedSample } from "./sealed-sample.repository.ts";
import { SecretBox } from "./secret-box.ts";
import { loadSecretKey, readSecretKey } from "./secret-key.ts";

/** Path of a new key until the database is sealed with it, at the first start and during a key rotation. */
const nextKey = (path: string) => `${path}.new`;

/** The box of the key that opens the database. After an interrupted rotation there may be two keys. */
function fittingBox(path: string, sealed: string, exclusive: boolean): SecretBox | null {
  for (const file of [path, nextKey(path)].filter((file) => existsSync(file))) {
    const box = new SecretBox(loadSecretKey(file));
    if (!box.opens(sealed)) continue;
    if (exclusive && file !== path) putInPlace(file, path);
    if (exclusive && file === path) rmSync(nextKey(path), { force: true });
    return box;
  }
  return null;
}

/**
 * Checks that the key at `path` is gone, is no key or belongs to another database.
 * @throws StartupError if it opens the database
 */
export function assertKeyIsLost(path: string, client: SealedTextReader): void {
  const sealed = sealedSample(client);
  for (const file of [path, nextKey(path)]) {
    const key = sealed !== null && existsSync(file) ? readSecretKey(file) : null;
    if (key && new SecretBox(key).opens(sealed ?? ""))
      throw new StartupError(
        `${file} opens the database, so the key is not lost; nothing was changed. muster rotate-key without --lost replaces it, and keeps all secrets`,
      );
  }
}

/**
 * Opens the secret box with the key at `path`. If nothing is sealed yet, a key is created under a temporary name;
 * `keepFirstKey` renames it once something is sealed. A file named secret.key thus always belongs to a database that
 * was set up. After an interrupted rotation there are two keys, and the one that opens the database is used.
 * @param exclusive whether the folder is locked; if so, the remains of such a rotation are cleaned up
 * @throws StartupError when the key is missing, does not open the database, or is readable by others
 */
export function openSecretBox(path: string, client: SealedTextReader, exclusive: boolean): SecretBox {
  const sealed = sealedSample(client);
  if (sealed === null) {
    if (existsSync(path))
      throw new StartupError(
        `${path} is there, but the database beside it was never set up: its log may be lost. Put the database back ` +
          `(see muster restore --help), or remove both to start over`,
      );
    return new SecretBox(loadSecretKey(nextKey(path)));
  }
  const box = fittingBox(path, sealed, exclusive);
  if (box) return box;
  // A rotation that was killed may have left a new key that seals nothing.
  if (!existsSync(path))
    throw new StartupError(
      `${path} is missing: the passwords in the database can be decrypted only with it; put it back, or, if it is lost for good, see muster rotate-key --help`,
    );
  throw new StartupError(`${path} is not the key of the database beside it; put back the one that is`);
}

function sharedBox(path: string, sealed: string, exclusive: boolean): SecretBox {
  const box = fittingBox(path, sealed, exclusive);
  if (box) return box;
  const problem = existsSync(path) ? "is not the key of the database" : "is missing";
  throw new StartupError(`${path} ${problem}: copy it from a node that has this database`);
}

/**
 * Opens the secret box of a database that lies elsewhere and may have several nodes, each with a copy of the
 * key. If nothing is sealed yet, the key at `path` is used; without one, a key is created as by `openSecretBox`.
 * @param exclusive as for `openSecretBox`
 * @throws StartupError when the key is missing, does not open the database, or is readable by others
 */
export function openSharedSecretBox(path: string, client: SealedTextReader, exclusive: boolean): SecretBox {
  const sealed = sealedSample(client);
  if (sealed === null) return new SecretBox(loadSecretKey(existsSync(path) ? path : nextKey(path)));
  return sharedBox(path, sealed, exclusive);
}

/**
 * Checks the key at `path` against a database that is not beside it yet, and changes nothing.
 * @param source what that database is called in errors
 * @throws StartupError when the key is missing, does not open the database, or is readable by others; and for a database
 * that was never set up
 */
export function assertKeyOf(path: string, client: SealedTextReader, source: string): void {
  const problem = (what: string) =>
    new StartupError(`${path} ${what}: put the one that belongs to ${source} there first`);
  if (!existsSync(path)) throw problem("is missing");
  const sealed = sealedSample(client);
  if (sealed === null) throw new StartupError(`${source} comes from a Muster that was never set up`);
  if (!fittingBox(path, sealed, false)) throw problem("is another key");
}

/** Checks the key of a shared database, if that was set up, and changes nothing. @throws StartupError as above */
export function assertSharedKey(path: string, client: SealedTextReader): void {
  const sealed = sealedSample(client);
  if (sealed !== null) sharedBox(path, sealed, false);
}

/** Gives the key of the first start its final name, after the database is sealed with it. */
export function keepFirstKey(path: string): void {
  if (existsSync(nextKey(path)) && !existsSync(path)) putInPlace(nextKey(path), path);
}

/**
 * Replaces the key. If this is interrupted, `openSecretBox` finds the key that fits. The caller holds the
 * folder's lock.
 * @param reseal reseals the whole database with the new key, in one transaction
 */
export function replaceKey(path: string, reseal: (next: SecretBox) => void): void {
  rmSync(nextKey(path), { force: true });
  reseal(new SecretBox(loadSecretKey(nextKey(path))));
  putInPlace(nextKey(path), path);
}

/**
 * Removes a new key whose transaction is rolled back. After a failed commit it has to stay, since the database may be
 * sealed with it all the same.
 */
export function dropNextKey(path: string): void {
  rmSync(nextKey(path), { force: true });
}
