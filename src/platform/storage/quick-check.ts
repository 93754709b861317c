import { damage } from "./backup.ts";
import { isDamage } from "./database-error.ts";
import type { Db } from "./open.ts";
import { freePages } from "./size.repository.ts";

/** Databases of up to this many pages, 32 MB, are checked whole at a start. */
const MAX_PAGES = 8192;
/** Of larger ones these tables are checked, which every message or every sign-in needs. */
const TABLES = ["settings", "users", "sessions", "names", "hosts", "services"];
/** Tables with more rows are left out: a start must not take long. */
const MAX_ROWS = 100_000;

/** What a look of at most about a second finds damaged; null when that is nothing. `muster doctor` looks at everything. */
export function quickDamage(db: Db): string | null {
  const client = db.$client;
  if (freePages(db).all <= MAX_PAGES) return damage(client, 1, "quick_check")[0] ?? null;
  try {
    for (const table of TABLES) {
      const last = client.query(`select max(rowid) as id from "${table}"`).get() as { id: number | null };
      const [found] = (last.id ?? 0) > MAX_ROWS ? [] : damage(client, table, "quick_check");
      if (found !== undefined) return found;
    }
  } catch (error) {
    if (isDamage(error)) return String(error);
    throw error;
  }
  return null;
}
