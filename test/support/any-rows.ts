/** Rows for every table of the schema, with the values that are most easily lost on the way elsewhere. */
import { is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, SQLiteBoolean, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "../../src/platform/storage/open.ts";
import * as schema from "../../src/platform/storage/schema.ts";

/** Ids that no app of a test reaches, with a hole between them. */
const IDS = [10_001, 10_007];
const NUMBERS = [Number.MAX_SAFE_INTEGER, -1];
const REALS = [0.1 + 0.2, -1.5e300];
const TEXTS = ["ä\"'\\\n\t\u0001{}[],NULL\u2028😀", "\\x00 NaN"];
const BYTES = [Buffer.from(Array.from({ length: 256 }, (_, i) => i)), Buffer.alloc(0)];

function anyValue(column: SQLiteColumn, row: number): unknown {
  if (is(column, SQLiteBoolean)) return row;
  const type = column.getSQLType();
  if (type === "real") return REALS[row];
  if (type === "blob") return BYTES[row];
  if (type === "text") return column.notNull || row === 0 ? TEXTS[row] : null;
  if (column.primary) return IDS[row];
  return column.notNull || row === 0 ? NUMBERS[row] : null;
}

/** Adds two rows to every table. */
export function addAnyRows(db: Db): void {
  db.$client.run("PRAGMA foreign_keys = OFF");
  for (const table of Object.values(schema)) {
    if (!is(table, SQLiteTable)) continue;
    const { name, columns, foreignKeys } = getTableConfig(table);
    const references = new Map(
      foreignKeys.flatMap((key) => {
        const { columns: from, foreignColumns: to } = key.reference();
        return from.map((column, i) => [column.name, to[i]] as const);
      }),
    );
    const names = columns.map((column) => `"${toSnakeCase(column.name)}"`);
    for (const row of [0, 1]) {
      const values = columns.map((column) => anyValue(references.get(column.name) ?? column, row));
      db.$client.run(
        `insert into "${name}" (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
        values,
      );
    }
  }
  db.$client.run("PRAGMA foreign_keys = ON");
}
