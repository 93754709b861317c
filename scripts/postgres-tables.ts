/** The tables of src/platform/storage/schema.ts for PostgreSQL, derived so that both engines have the same tables. */
import { is, SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  foreignKey,
  index,
  type PgColumn,
  type PgColumnBuilderBase,
  type PgTable,
  pgTable,
  primaryKey,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  getTableConfig,
  type Index,
  SQLiteBoolean,
  type SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
  SQLiteTextJson,
} from "drizzle-orm/sqlite-core";
import * as schema from "../src/platform/storage/schema.ts";

/** Text is compared and ordered by its bytes, as in SQLite, whatever the locale of the database. */
const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const dialect = new SQLiteSyncDialect({ casing: "snake_case" });

/** An expression as SQL without parameters and table names, which an index cannot contain. */
function textOf(expression: SQL): string {
  return dialect.sqlToQuery(expression.inlineParams(), "indexes").sql;
}

/** A condition as SQL, with truth values in place of SQLite's numbers. */
function conditionOf(where: SQL): SQL {
  const condition = textOf(where);
  if (!where.queryChunks.some((chunk) => is(chunk, SQLiteBoolean))) return sql.raw(condition);
  const [column, value] = condition.split(" = ");
  return sql.raw(`${column} = ${value === "1"}`);
}

function columnOf(column: SQLiteColumn): PgColumnBuilderBase {
  const type = column.getSQLType();
  const isFlag = is(column, SQLiteBoolean);
  if ("autoIncrement" in column && column.autoIncrement)
    return bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity();
  const name = toSnakeCase(column.name);
  const pgColumn = isFlag
    ? boolean(name)
    : type === "integer"
      ? bigint(name, { mode: "number" })
      : type === "real"
        ? doublePrecision(name)
        : type === "blob"
          ? bytes(name)
          : bytewiseText(name);
  if (column.notNull) pgColumn.notNull();
  const initial = is(column, SQLiteTextJson) ? JSON.stringify(column.default) : column.default;
  if (initial !== undefined) pgColumn.default(initial as never);
  // A key that SQLite numbers automatically, although it is not declared so.
  if (column.primary && type === "integer")
    return bigint(name, { mode: "number" }).primaryKey().generatedByDefaultAsIdentity();
  if (column.primary) pgColumn.primaryKey();
  if (column.isUnique) pgColumn.unique(column.uniqueName);
  return pgColumn;
}

/** Derives a table. The columns of both engines are matched by name, since neither table has those of the other. */
function derive(table: SQLiteTable, tables: Map<SQLiteTable, PgTable>): PgTable {
  const { name, columns, indexes, foreignKeys, primaryKeys } = getTableConfig(table);
  const columnsIn = (of: PgTable, names: readonly { name: string }[]) =>
    names.map(({ name }) => (of as unknown as Record<string, PgColumn>)[name] as PgColumn);
  const indexOf = (of: PgTable, { config }: Index) => {
    const parts = config.columns.map((part) =>
      is(part, SQL) ? sql.raw(`(${textOf(part)})`) : columnsIn(of, [part])[0],
    );
    const on = (config.unique ? uniqueIndex : index)(config.name).on(...(parts as [PgColumn]));
    return config.where ? on.where(conditionOf(config.where)) : on;
  };
  return pgTable(
    name,
    Object.fromEntries(columns.map((column) => [column.name, columnOf(column)])),
    (self) => [
      ...primaryKeys.map((key) =>
        primaryKey({ columns: columnsIn(self as never, key.columns) as [PgColumn] }),
      ),
      ...indexes.map((index) => indexOf(self as never, index)),
      ...foreignKeys.map((key) => {
        const { columns: from, foreignColumns: to, foreignTable } = key.reference();
        const target = tables.get(foreignTable as SQLiteTable);
        if (!target) throw new Error(`${name} refers to a table that is not made yet`);
        const reference = foreignKey({
          columns: columnsIn(self as never, from) as [PgColumn],
          foreignColumns: columnsIn(target, to) as [PgColumn],
        });
        return key.onDelete ? reference.onDelete(key.onDelete) : reference;
      }),
    ],
  );
}

/** All tables by name. */
export function postgresTables(): Record<string, PgTable> {
  const tables = new Map<SQLiteTable, PgTable>();
  for (const table of Object.values(schema))
    if (is(table, SQLiteTable)) tables.set(table, undefined as never);
  for (const table of tables.keys()) tables.set(table, derive(table, tables));
  return Object.fromEntries([...tables].map(([table, pgTable]) => [getTableConfig(table).name, pgTable]));
}
