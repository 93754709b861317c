/** The foreign keys of the schema. */
import { is, type Table } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { columnName } from "./column-name.ts";
import * as schema from "./schema.ts";

export interface Reference {
  table: string;
  columns: readonly string[];
  parent: string;
  parentColumns: readonly string[];
  /** What becomes of the row when the row that it refers to is deleted; null: that one cannot be deleted. */
  onDelete: "cascade" | "set null" | null;
}

function referencesOf(table: SQLiteTable): Reference[] {
  const { name, foreignKeys } = getTableConfig(table);
  return foreignKeys.map((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference();
    const parent = getTableConfig(foreignTable as SQLiteTable).name;
    const onDelete = key.onDelete === "cascade" || key.onDelete === "set null" ? key.onDelete : null;
    return {
      table: name,
      columns: columns.map(columnName),
      parent,
      parentColumns: foreignColumns.map(columnName),
      onDelete,
    };
  });
}

/** The foreign keys of all tables, table by table. */
export function schemaReferences(): Reference[] {
  return Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? referencesOf(table) : []));
}

/** Every table, each after those that its rows refer to. */
export function tablesInOrder(): SQLiteTable[] {
  const inOrder = new Set<Table>();
  const add = (table: SQLiteTable): void => {
    for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable as SQLiteTable);
    inOrder.add(table);
  };
  for (const table of Object.values(schema)) if (is(table, SQLiteTable)) add(table);
  return [...inOrder] as SQLiteTable[];
}
