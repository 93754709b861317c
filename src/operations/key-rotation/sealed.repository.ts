/** Columns with values encrypted by secret.key. A new encrypted column has to be listed here. */

import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { DEFINITIONS } from "../../platform/settings/settings.definitions.ts";
import type { Connection } from "../../platform/storage/connection.ts";

const SECRET_SETTINGS = Object.entries(DEFINITIONS)
  .filter(([, definition]) => "secret" in definition)
  .map(([name]) => name);

interface SealedColumn {
  table: string;
  column: string;
  /** SQL condition that selects the rows; all rows by default. */
  where?: string;
}

const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: "hosts", column: "agentpassword" },
  { table: "users", column: "password_md5" },
  { table: "users", column: "totp_secret" },
  { table: "channels", column: "settings" },
  {
    table: "settings",
    column: "value",
    where: `key in (${SECRET_SETTINGS.map((name) => `'${name}'`).join(", ")})`,
  },
];

/** Empties every encrypted value. Call it within a transaction. */
export function forgetAll(client: Connection): void {
  for (const { table, column, where = "true" } of SEALED_COLUMNS)
    client.run(`update ${table} set ${column} = '' where ${where}`);
}

function sealedValues(client: Connection, { table, column, where = "true" }: SealedColumn) {
  return client
    .query<{ id: number; sealed: string }>(
      `select rowid as id, ${column} as sealed from ${table} where ${column} <> '' and ${where}`,
    )
    .all();
}

/** The number of encrypted values that the box does not open, by table and column. */
export function unreadableSeals(client: Connection, box: SecretBox): Map<string, number> {
  const counts = SEALED_COLUMNS.map((place) => {
    const unreadable = sealedValues(client, place).filter(({ sealed }) => !box.opens(sealed));
    return [`${place.table}.${place.column}`, unreadable.length] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

/** Re-encrypts every encrypted value. Call it within a transaction. @returns number of values */
export function resealAll(client: Connection, from: SecretBox, to: SecretBox): number {
  let count = 0;
  for (const place of SEALED_COLUMNS) {
    const { table, column } = place;
    const rows = sealedValues(client, place);
    const update = client.query(`update ${table} set ${column} = ? where rowid = ?`);
    for (const { id, sealed } of rows) update.run(to.seal(from.open(sealed)), id);
    count += rows.length;
  }
  return count;
}
