import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePassword, md5 } from "../../accounts/users/password.ts";
import { countUsers, insertUser } from "../../accounts/users/users.repository.ts";
import type { CollectorCredential } from "../../monitoring/collector/collector-credential.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";

const ADMIN = "admin";

export interface FirstStart {
  /** null if it was configured: a configured password is never shown. */
  adminPassword: string | null;
  collectorPassword: string | null;
}

/** Creates the first administrator and the collector's password. @returns what was generated, or null */
export function setUpFirstStart(
  db: Db,
  box: SecretBox,
  credential: CollectorCredential,
  config: Pick<Config, "adminPassword" | "collectorPassword">,
): FirstStart | null {
  if (countUsers(db) > 0) return null;
  const admin = config.adminPassword ?? generatePassword();
  const collector = config.collectorPassword ?? generatePassword();
  transaction(db, () => {
    insertUser(db, {
      uname: ADMIN,
      fullname: "Administrator",
      passwordMd5: box.seal(md5(admin)),
      admin: true,
    });
    credential.setFirst(collector);
  });
  return {
    adminPassword: config.adminPassword === null ? admin : null,
    collectorPassword: config.collectorPassword === null ? collector : null,
  };
}

/** What the administrator needs first: address, login, and the line for agents' control files. */
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

/** Writes that text to a file for its owner only, for a start without a terminal. @returns its path */
export function writeFirstLogin(dataFolder: string, text: string): string {
  const path = join(dataFolder, "first-login.txt");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
