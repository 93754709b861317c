import { deleteAllSessions } from "../../accounts/sessions/sessions.repository.ts";
import { replaceKey } from "../../platform/secrets/key-file.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { putSetting } from "../../platform/settings/settings.repository.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { forgetAll, resealAll } from "./sealed.repository.ts";

/**
 * Makes a new secret.key and seals everything with it, in one transaction; whenever it breaks off, one of the two keys
 * fits the database, and the next start finds it. All logins end, as their ids are signed with the key. The caller holds
 * the folder's lock.
 * @param keyPath of secret.key
 * @returns how many values were sealed anew
 */
export function rotateKey(db: Db, box: SecretBox, keyPath: string): number {
  let count = 0;
  replaceKey(keyPath, (next) =>
    transaction(db, () => {
      count = resealAll(db.$client, box, next);
      deleteAllSessions(db);
    }),
  );
  return count;
}

/**
 * Makes a new secret.key in place of one that is lost. What only that one opened is emptied: nobody can sign in and no
 * agent can post until passwords are set anew. The caller holds the folder's lock.
 * @param collectorPassword the new one, with which agents post
 */
export function replaceLostKey(db: Db, keyPath: string, collectorPassword: string): void {
  replaceKey(keyPath, (next) =>
    transaction(db, () => {
      forgetAll(db.$client);
      deleteAllSessions(db);
      putSetting(db, "collectorpassword", next.seal(collectorPassword));
    }),
  );
}
