import { deleteAllSessions } from "../../accounts/sessions/sessions.repository.ts";
import { dropNextKey, replaceKey } from "../../platform/secrets/key-file.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { putSetting } from "../../platform/settings/settings.repository.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { forgetAll, resealAll, type SecretOwners, secretOwners } from "./sealed.repository.ts";

/** Replaces the key at `keyPath` and, in one transaction, what it seals. */
function replaceWith(db: Db, keyPath: string, reseal: (next: SecretBox) => void): void {
  const resealOrDrop = (next: SecretBox) => {
    try {
      reseal(next);
    } catch (error) {
      dropNextKey(keyPath);
      throw error;
    }
  };
  replaceKey(keyPath, (next) => transaction(db, () => resealOrDrop(next)));
}

/**
 * Creates a new secret.key and re-encrypts every secret with it, in one transaction. If that is interrupted,
 * one of the two keys fits the database, and the next start detects which. All sessions end, because their
 * ids are signed with the key. The caller holds the folder's lock.
 * @param keyPath path of secret.key
 * @returns number of re-encrypted values
 */
export function rotateKey(db: Db, box: SecretBox, keyPath: string): number {
  let count = 0;
  replaceWith(db, keyPath, (next) => {
    count = resealAll(db.$client, box, next);
    deleteAllSessions(db);
  });
  return count;
}

/**
 * Replaces a lost secret.key with a new one. All values encrypted with the old key become empty: nobody can sign in
 * and no agent can report until passwords are set again, and all channels are disabled. The caller holds the folder's lock.
 * @param collectorPassword the new password of the collector
 * @param tell is told what had secrets before the change is committed, since nothing knows it afterwards; if it throws,
 * nothing is changed
 */
export function replaceLostKey(
  db: Db,
  keyPath: string,
  collectorPassword: string,
  tell: (owners: SecretOwners) => void,
): void {
  const owners = secretOwners(db.$client);
  replaceWith(db, keyPath, (next) => {
    forgetAll(db.$client);
    deleteAllSessions(db);
    putSetting(db, "collectorpassword", next.seal(collectorPassword));
    tell(owners);
  });
}
