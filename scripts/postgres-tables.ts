/**
 * The tables of src/platform/storage/schema.ts as PostgreSQL has them. They are derived from that one
 * description, so that both engines have the same tables.
 */
import { is, type SQL, sql } from "drizzle-orm";
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
} from "drizzle-orm/sqlite-core";
import { translator } from "../src/platform/storage/postgres/dialect.ts";
import { FLAG_COLUMNS } from "../src/platform/storage/postgres-schema.ts";
import * as schema from "../src/platform/storage/schema.ts";

/** Text is compared and ordered by its bytes, as in SQLite, whatever the locale of the database. */
const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const dialect = new SQLiteSyncDialect({ casing: "snake_case" });
const translate = translator(FLAG_COLUMNS);

/** Without parameters and names of tables, which the condition of an index has not. */
function conditionOf(where: SQL): SQL {
  return sql.raw(translate(dialect.sqlToQuery(where.inlineParams()).sql).text.replace(/"\w+"\./g, ""));
}

function columnOf(column: SQLiteColumn): PgColumnBuilderBase {
  const type = column.getSQLType();
  const isFlag = is(column, SQLiteBoolean);
  if ("autoIncrement" in column && column.autoIncrement)
    return bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity();
  const name = toSnakeCase(column.name);
  const made = isFlag
    ? boolean(name)
    : type === "integer"
      ? bigint(name, { mode: "number" })
      : type === "real"
        ? doublePrecision(name)
        : type === "blob"
          ? bytes(name)
          : bytewiseText(name);
  if (column.notNull) made.notNull();
  if (column.default !== undefined) made.default(column.default as never);
  // A key that SQLite numbers by itself, although it is not declared so.
  if (column.primary && type === "integer")
    return bigint(name, { mode: "number" }).primaryKey().generatedByDefaultAsIdentity();
  if (column.primary) made.primaryKey();
  if (column.isUnique) made.unique(column.uniqueName);
  return made;
}

/** A table of its own has no columns of the other engine's: both are found by the names of their columns. */
function derive(table: SQLiteTable, made: Map<SQLiteTable, PgTable>): PgTable {
  const { name, columns, indexes, foreignKeys, primaryKeys } = getTableConfig(table);
  const columnsIn = (of: PgTable, names: readonly { name: string }[]) =>
    names.map(({ name }) => (of as unknown as Record<string, PgColumn>)[name] as PgColumn);
  const indexOf = (of: PgTable, { config }: Index) => {
    const on = (config.unique ? uniqueIndex : index)(config.name).on(
      ...(columnsIn(of, config.columns as SQLiteColumn[]) as [PgColumn]),
    );
    return config.where ? on.where(conditionOf(config.where)) : on;
  };
  return pgTable(
    name,
    Object.fromEntries(columns.map((column) => [column.name, columnOf(column)])),
    (self) => [
      ...primaryKeys.map((key) =>
        primaryKey({ columns: columnsIn(self as never, key.columns) as [PgColumn] }),
      ),
      ...indexes.map((each) => indexOf(self as never, each)),
      ...foreignKeys.map((key) => {
        const { columns: from, foreignColumns: to, foreignTable } = key.reference();
        const target = made.get(foreignTable as SQLiteTable);
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
  const made = new Map<SQLiteTable, PgTable>();
  for (const table of Object.values(schema)) if (is(table, SQLiteTable)) made.set(table, undefined as never);
  for (const table of made.keys()) made.set(table, derive(table, made));
  return Object.fromEntries([...made].map(([table, own]) => [getTableConfig(table).name, own]));
}
