import { damage } from "./backup.ts";
import { isThere, readDatabaseFile } from "./data-folder.ts";
import type { DataFolder } from "./folder.ts";
import { checkForeignKeys, type ForeignKeyFault } from "./foreign-key-check.ts";

/** What can be checked of a database without its schema. */
export interface FileFaults {
  /** Problems that SQLite finds in the file. */
  damage: string[];
  /** Rows that refer to missing rows. Empty for a damaged file, whose rows prove nothing. */
  dangling: ForeignKeyFault[];
}

/** Checks a database file of an earlier version without changing it; null for any other file. @throws StartupError */
export function faultsOfOlderFile({ database, migrations }: DataFolder): FileFaults | null {
  if (!isThere(database)) return null;
  return readDatabaseFile(database, migrations, (client, version) => {
    if (version !== "older") return null;
    const problems = damage(client);
    return { damage: problems, dangling: problems.length > 0 ? [] : checkForeignKeys(client) };
  });
}
