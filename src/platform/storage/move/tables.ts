/** The tables that both engines have, as a move copies them. */
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteBoolean, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { columnName } from "../column-name.ts";
import { tablesInOrder } from "../foreign-keys.ts";
import * as schema from "../schema.ts";

export interface MovedTable {
  name: string;
  columns: readonly { name: string; isFlag: boolean }[];
  /** Names of the columns of the primary key, by which rows are read. */
  key: readonly string[];
  /** The column in which the database numbers the rows automatically; null without one. */
  numbered: string | null;
  /** Rows that are held in memory at a time. */
  pageRows: number;
}

/**
 * The most rows of a page: fewer for a table with bytes, of which a row may have some 100 KiB, and few for pictures of
 * a MiB.
 */
const PAGE_ROWS = 1000;
const PAGE_ROWS_WITH_BYTES = 100;
const PAGE_PICTURES = 8;

function pageRowsOf(table: SQLiteTable): number {
  if (table === schema.pictures) return PAGE_PICTURES;
  const { columns } = getTableConfig(table);
  return columns.some((column) => column.getSQLType() === "blob") ? PAGE_ROWS_WITH_BYTES : PAGE_ROWS;
}

function describeTable(table: SQLiteTable): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const single = columns.filter(({ primary }) => primary);
  const key = single.length > 0 ? single : (primaryKeys[0]?.columns ?? []);
  return {
    name,
    columns: columns.map((column) => ({ name: columnName(column), isFlag: is(column, SQLiteBoolean) })),
    key: key.map(columnName),
    numbered: single.filter((column) => column.getSQLType() === "integer").map(columnName)[0] ?? null,
    pageRows: pageRowsOf(table),
  };
}

/** All tables, each after those that its rows refer to. */
export function movedTables(): MovedTable[] {
  return tablesInOrder().map(describeTable);
}
