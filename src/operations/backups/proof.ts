/** Proves a backup by restoring it into a scratch folder. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { knownSince } from "../../monitoring/moment/known-moments.ts";
import { openSecretBox } from "../../platform/secrets/key-file.ts";
import { StoredSettings } from "../../platform/settings/stored-settings.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { verifyChecksum } from "../../platform/storage/checksum.ts";
import { closing } from "../../platform/storage/closing.ts";
import { openReadOnly } from "../../platform/storage/open.ts";
import { counted, separated } from "../../platform/text.ts";
import { examine } from "../doctor/doctor.ts";
import { readArchive } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { contentOf } from "./snapshot.ts";

export interface ProofOptions {
  /** What was put into the backup. */
  manifest: Manifest;
  identities: readonly string[];
  /** Path of secret.key, for a backup without it. */
  key: string;
}

/** @throws StartupError when the file differs from what the backup was made of */
function compare(database: string, manifest: Manifest): void {
  if (verifyChecksum(database) !== "right")
    throw new StartupError("the restored database does not match its checksum");
  const { rows, newestEvent } = contentOf(database);
  const table = Object.keys(manifest.rows).find((name) => rows[name] !== manifest.rows[name]);
  if (table !== undefined)
    throw new StartupError(
      `the restored database has ${counted(rows[table] ?? 0, "row")} of ${table} instead of ${separated(manifest.rows[table] ?? 0)}`,
    );
  if (!isDeepStrictEqual(newestEvent, manifest.newestEvent))
    throw new StartupError("the restored database does not end with the newest event");
}

/**
 * Restores an archive into an empty folder, compares it with what was backed up, and examines it as `muster doctor`
 * does.
 * @throws StartupError that says what is wrong
 */
export async function prove(archive: string, folder: string, options: ProofOptions): Promise<void> {
  const { manifest, key, database } = await readArchive(archive, folder, options.identities, "it");
  if (!isDeepStrictEqual(manifest, options.manifest))
    throw new StartupError("it is another backup: its description differs");
  compare(database, manifest);
  const keyFile = key ? join(folder, "secret.key") : options.key;
  if (key) writeFileSync(keyFile, key, { mode: 0o600 });
  if (!existsSync(keyFile)) throw new StartupError(`${keyFile} is missing`);
  const db = openReadOnly(database);
  const [finding, ...more] = closing(db.$client, (client) => {
    const since = knownSince(new StoredSettings(db), manifest.created);
    return examine(db, since, openSecretBox(keyFile, client, false));
  });
  if (finding)
    throw new StartupError(`muster doctor finds ${more.length + 1} faults in it: ${finding.sentence}`);
}
