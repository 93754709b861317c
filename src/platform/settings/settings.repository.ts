import type { Db } from "../storage/open.ts";
import { settings } from "../storage/schema.ts";

export function allSettings(db: Db): Map<string, string> {
  return new Map(
    db
      .select()
      .from(settings)
      .all()
      .map((row) => [row.key, row.value]),
  );
}

export function putSetting(db: Db, key: string, value: string): void {
  db.insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } })
    .run();
}
