import { join } from "node:path";
import { generatePassword, md5 } from "../../accounts/users/password.ts";
import { countUsers, insertUser } from "../../accounts/users/users.repository.ts";
import type { CollectorCredential } from "../../monitoring/agent-keys/collector-credential.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";

const ADMIN = "admin";

export interface FirstStart {
  /** null if it was configured: a configured password is never shown. */
  adminPassword: string | null;
  collectorPassword: string | null;
}

/**
 * Creates the first administrator and the collector's password.
 * @param keep stores the generated passwords before anything is committed: a start that is killed must not leave an
 * administrator whose password nobody knows
 * @returns the generated passwords; null if this is not the first start
 */
export function setUpFirstStart(
  { db, box, credential }: { db: Db; box: SecretBox; credential: CollectorCredential },
  config: Pick<Config, "adminPassword" | "collectorPassword">,
  keep: (first: FirstStart) => void = () => undefined,
): FirstStart | null {
  if (countUsers(db) > 0) return null;
  const admin = config.adminPassword ?? generatePassword();
  const collector = config.collectorPassword ?? generatePassword();
  const first = {
    adminPassword: config.adminPassword === null ? admin : null,
    collectorPassword: config.collectorPassword === null ? collector : null,
  };
  transaction(db, () => {
    insertUser(db, {
      uname: ADMIN,
      fullname: "Administrator",
      passwordMd5: box.seal(md5(admin)),
      admin: true,
    });
    credential.setFirst(collector);
    keep(first);
  });
  return first;
}

/** The information that the administrator needs first: address, login, and the line for agents' control files. */
export function firstStartText(first: FirstStart, origin: string, line: string): string {
  return [
    `Muster is ready: ${origin}`,
    `  user      ${ADMIN}`,
    `  password  ${first.adminPassword ?? "(as given)"}`,
    "",
    "Put this line into each agent's control file (/etc/monit/monitrc) and reload it:",
    `  ${line}`,
    "",
  ].join("\n");
}

/** The file that holds that text, for a start without a terminal or one that was killed. */
export const firstLoginFile = (dataFolder: string) => join(dataFolder, "first-login.txt");
