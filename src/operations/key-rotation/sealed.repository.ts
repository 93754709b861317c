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
  /** The column that names its owner, and what comes before that name. */
  name: string;
  meaning: string;
  /** SQL condition that selects the rows; all rows by default. */
  where?: string;
  /** What else changes when the value becomes empty: as SQL, and in words. */
  emptied?: { change: string; meaning: string };
}

const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "hosts",
    column: "agentpassword",
    key: "id",
    name: "hostname",
    meaning: "the password for the agent of the host",
  },
  {
    table: "deleted_hosts",
    column: "agentpassword",
    key: "host_id",
    name: "hostname",
    meaning: "the password for the agent of the deleted host",
  },
  { table: "users", column: "password_md5", key: "id", name: "uname", meaning: "the password of the user" },
  {
    table: "users",
    column: "totp_secret",
    key: "id",
    name: "uname",
    meaning: "the second factor of the user",
  },
  { table: "agent_keys", column: "secret", key: "id", name: "name", meaning: "the secret of the key" },
  {
    table: "agent_keys",
    column: "previous",
    key: "id",
    name: "name",
    meaning: "the previous secret of the key",
  },
  {
    table: "channels",
    column: "settings",
    key: "id",
    name: "name",
    meaning: "the configuration of the channel",
    // A channel cannot send without its settings.
    emptied: { change: "enabled = false", meaning: "disables the channel" },
  },
  {
    table: "settings",
    column: "value",
    key: "key",
    name: "key",
    meaning: "the setting",
    where: IS_SECRET_SETTING,
  },
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

/** Empties encrypted values of a column. @param which SQL condition */
function empty(
  client: DatabaseConnection,
  { table, column, emptied }: SealedColumn,
  which: string,
  values: readonly (string | number)[] = [],
): void {
  const changes = [`${column} = ''`, ...(emptied ? [emptied.change] : [])];
  client.run(`update ${table} set ${changes.join(", ")} where ${which}`, [...values]);
}

/**
 * Empties every encrypted value, and disables channels, which cannot send without their settings. Call it within a
 * transaction.
 */
export function forgetAll(client: DatabaseConnection): void {
  for (const place of SEALED_COLUMNS) empty(client, place, place.where ?? "true");
}

interface SealedValue {
  id: number | string;
  name: string;
  sealed: string;
}

function sealedValues(client: DatabaseConnection, place: SealedColumn): SealedValue[] {
  const { table, column, key, name, where = "true" } = place;
  return client
    .query<SealedValue>(
      `select ${key} as id, ${name} as name, ${column} as sealed from ${table} where ${column} <> '' and ${where}`,
    )
    .all();
}

const ownerIn = ({ meaning }: SealedColumn, { name }: Pick<SealedValue, "name">) => `${meaning} "${name}"`;

/** An encrypted value that does not open. */
interface UnreadableSeal {
  /** What it is, as in: the password of the user "anna". */
  owner: string;
  /** Empties it. Call it within a transaction. */
  empty: () => void;
  /** What else `empty` does, as in: disables the channel. */
  also: string | undefined;
}

/** The encrypted values, besides settings, that the box does not open. */
export function unreadableSeals(client: DatabaseConnection, box: SecretBox): UnreadableSeal[] {
  return SEALED_COLUMNS.filter(({ table }) => table !== "settings").flatMap((place) =>
    sealedValues(client, place)
      .filter(({ sealed }) => !box.opens(sealed))
      .map((value) => ({
        owner: ownerIn(place, value),
        empty: () => empty(client, place, `${place.key} = ?`, [value.id]),
        also: place.emptied?.meaning,
      })),
  );
}

/** What an encrypted value is, as in: the password of the user "anna"; null if it is no longer stored. */
export function ownerOfSeal(client: DatabaseConnection, sealed: string): string | null {
  for (const place of SEALED_COLUMNS) {
    const { table, column, name } = place;
    const value = client
      .query<Pick<SealedValue, "name">>(`select ${name} as name from ${table} where ${column} = ? limit 1`)
      .get(sealed);
    if (value) return ownerIn(place, value);
  }
  return null;
}

/** What a command or a request that met an unreadable secret says. @param owner as `ownerOfSeal` returns it */
export function unreadableText(owner: string | null): string {
  return `${owner ?? "a secret"} does not open with secret.key: muster doctor says what can be done`;
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
    for (const value of rows) {
      if (!from.opens(value.sealed)) throw new StartupError(unreadableText(ownerIn(place, value)));
      update.run(to.seal(from.open(value.sealed)), value.id);
    }
    count += rows.length;
  }
  return count;
}
