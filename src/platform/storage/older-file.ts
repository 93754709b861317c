import { existsSync } from "node:fs";
import { damage } from "./backup.ts";
import { readDatabaseFile } from "./data-folder.ts";
import type { DataFolder } from "./folder.ts";

/** What can be checked of a database without its schema. */
export interface FileFaults {
  /** Problems that SQLite finds in the file. */
  damage: string[];
  /** Numbers of rows that refer to missing rows, by table. Not counted in a damaged file, whose rows prove nothing. */
  dangling: Map<string, number>;
}

/** Checks a database file of an earlier version, and leaves it as it is. Null for another file. @throws StartupError */
export function faultsOfOlderFile({ database, migrations }: DataFolder): FileFaults | null {
  if (!existsSync(database)) return null;
  return readDatabaseFile(database, migrations, (client, version) => {
    if (version !== "older") return null;
    const problems = damage(client);
    const rows =
      problems.length > 0
        ? []
        : client
            .query<{ relation: string; count: number }, []>(
              `SELECT "table" || ' to ' || parent AS relation, count(*) AS count FROM pragma_foreign_key_check
               GROUP BY 1 ORDER BY 1`,
            )
            .all();
    return { damage: problems, dangling: new Map(rows.map(({ relation, count }) => [relation, count])) };
  });
}
