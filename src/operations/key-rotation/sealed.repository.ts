/** Columns with values encrypted by secret.key. A new encrypted column must be listed here. */

import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { SECRET_SETTINGS } from "../../platform/settings/settings.definitions.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { DatabaseConnection } from "../../platform/storage/connection.ts";

const IS_SECRET_SETTING = `key in (${SECRET_SETTINGS.map((name) => `'${name}'`).join(", ")})`;

interface SealedColumn {
  table: string;
  column: string;
  /** The column that identifies a row. */
  key: string;
  /** SQL condition that selects the rows; all rows by default. */
  where?: string;
}

const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "hosts", column: "agentpassword", key: "id" },
  { table: "deleted_hosts", column: "agentpassword", key: "host_id" },
  { table: "users", column: "password_md5", key: "id" },
  { table: "users", column: "totp_secret", key: "id" },
  { table: "agent_keys", column: "secret", key: "id" },
  { table: "agent_keys", column: "previous", key: "id" },
  { table: "channels", column: "settings", key: "id" },
  { table: "settings", column: "value", key: "key", where: IS_SECRET_SETTING },
];

/** What has encrypted values, besides users and hosts: by names, in their order. */
export interface SecretOwners {
  /** Users with a second factor. */
  secondFactors: string[];
  agentKeys: string[];
  channels: string[];
  settings: string[];
}

/** What has encrypted values now. After a lost key is replaced these are empty, so ask before. */
export function secretOwners(client: DatabaseConnection): SecretOwners {
  const names = (table: string, name: string, where: string) =>
    client
      .query<{ name: string }>(`select ${name} as name from ${table} where ${where} order by ${name}`)
      .all()
      .map((row) => row.name);
  return {
    secondFactors: names("users", "uname", "totp_enabled = true and totp_secret <> ''"),
    agentKeys: names("agent_keys", "name", "secret <> ''"),
    channels: names("channels", "name", "settings <> ''"),
    settings: names("settings", "key", `value <> '' and ${IS_SECRET_SETTING}`),
  };
}

/**
 * Empties every encrypted value, and disables channels, which cannot send without their settings. Call it within a
 * transaction.
 */
export function forgetAll(client: DatabaseConnection): void {
  for (const { table, column, where = "true" } of SEALED_COLUMNS)
    client.run(`update ${table} set ${column} = '' where ${where}`);
  client.run("update channels set enabled = false");
}

function sealedValues(client: DatabaseConnection, { table, column, key, where = "true" }: SealedColumn) {
  return client
    .query<{ id: number | string; sealed: string }>(
      `select ${key} as id, ${column} as sealed from ${table} where ${column} <> '' and ${where}`,
    )
    .all();
}

/** The number of encrypted values that the box does not open, by table and column. */
export function unreadableSeals(client: DatabaseConnection, box: SecretBox): Map<string, number> {
  const counts = SEALED_COLUMNS.map((place) => {
    const unreadable = sealedValues(client, place).filter(({ sealed }) => !box.opens(sealed));
    return [`${place.table}.${place.column}`, unreadable.length] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

/**
 * Re-encrypts every encrypted value. Call it within a transaction.
 * @returns number of values
 * @throws StartupError for a value that the first key does not open
 */
export function resealAll(client: DatabaseConnection, from: SecretBox, to: SecretBox): number {
  let count = 0;
  for (const place of SEALED_COLUMNS) {
    const { table, column, key } = place;
    const rows = sealedValues(client, place);
    const update = client.query(`update ${table} set ${column} = ? where ${key} = ?`);
    for (const { id, sealed } of rows) {
      if (!from.opens(sealed))
        throw new StartupError(
          `a secret in ${table}.${column} does not open with secret.key: set it again first (see muster doctor)`,
        );
      update.run(to.seal(from.open(sealed)), id);
    }
    count += rows.length;
  }
  return count;
}
