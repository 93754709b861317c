import { sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../storage/open.ts";
import { settings } from "../storage/schema.ts";

/** The stored settings by name, secrets sealed. Those that were never set are absent. */
export function allSettings(db: Db): Map<string, string> {
  return new Map(
    db
      .select()
      .from(settings)
      .all()
      .map((row) => [row.key, row.value]),
  );
}

// Prepared, since each minute Muster stores that it runs.
const putStatement = prepareOnce((db) =>
  db
    .insert(settings)
    .values({ key: sql.placeholder("key"), value: sql.placeholder("value") })
    .onConflictDoUpdate({ target: settings.key, set: { value: sql`excluded.value` } })
    .prepare(),
);

/** Stores a setting, whose value is not checked. A secret must be sealed. */
export function putSetting(db: Db, key: string, value: string): void {
  putStatement(db).run({ key, value });
}
