/** The tables that both engines have, as a move copies them. */
import { is, type Table } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, SQLiteBoolean, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../schema.ts";

export interface MovedTable {
  name: string;
  columns: readonly { name: string; isFlag: boolean }[];
  /** Names of the columns of the primary key, by which rows are read. */
  key: readonly string[];
  /** The column in which the database numbers the rows by itself; null without one. */
  numbered: string | null;
  /** Whether a row may be large: pictures have up to 1 MiB. */
  hasBytes: boolean;
}

const nameOf = ({ name }: SQLiteColumn) => toSnakeCase(name);

function describeTable(table: SQLiteTable): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const single = columns.filter(({ primary }) => primary);
  const key = single.length > 0 ? single : (primaryKeys[0]?.columns ?? []);
  return {
    name,
    columns: columns.map((column) => ({ name: nameOf(column), isFlag: is(column, SQLiteBoolean) })),
    key: key.map(nameOf),
    numbered: single.filter((column) => column.getSQLType() === "integer").map(nameOf)[0] ?? null,
    hasBytes: columns.some((column) => column.getSQLType() === "blob"),
  };
}

/** All tables, each after those that its rows refer to. */
export function movedTables(): MovedTable[] {
  const inOrder = new Set<Table>();
  const add = (table: SQLiteTable): void => {
    for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable as SQLiteTable);
    inOrder.add(table);
  };
  for (const each of Object.values(schema)) if (is(each, SQLiteTable)) add(each);
  return [...inOrder].map((table) => describeTable(table as SQLiteTable));
}
