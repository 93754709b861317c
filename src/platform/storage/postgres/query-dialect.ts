/** The query builder's inserts, which need other words for PostgreSQL. */
import { Column, getTableColumns, is, Param, SQL, type SQLChunk, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { QueryDialect } from "../query-dialect.ts";

type Insertion = Parameters<QueryDialect["buildInsertQuery"]>[0];
type Row = Record<string, Param | SQL>;

/** Has the server number new rows, and names the columns of a conflict without their table. */
export class PostgresQueryDialect extends QueryDialect {
  override buildInsertQuery(insertion: Insertion): SQL {
    const { table, values, onConflict } = insertion;
    return super.buildInsertQuery({
      ...insertion,
      ...(Array.isArray(values) && { values: values.map((row) => withNewKeys(table, row)) }),
      ...(onConflict && { onConflict: onConflict.map(withPlainColumns) }),
    });
  }
}

/** Has the server number a row that has no key, as SQLite does. */
function withNewKeys(table: SQLiteTable, row: Row): Row {
  const isMissing = (value: Param | SQL | undefined) =>
    value === undefined || (is(value, Param) && value.value === undefined);
  const missing = Object.entries(getTableColumns(table)).filter(
    ([name, column]) => column.primary && isMissing(row[name]),
  );
  return { ...row, ...Object.fromEntries(missing.map(([name]) => [name, sql`default`])) };
}

/** The columns of a conflict, a list in the first part, have no table name. */
function withPlainColumns(clause: SQL): SQL {
  const isTarget = (chunk: SQLChunk) => is(chunk, SQL) && chunk.queryChunks.some(Array.isArray);
  const target = clause.queryChunks.findIndex(isTarget);
  return new SQL(clause.queryChunks.map((chunk, i) => (i === target ? plain(chunk as SQL) : chunk)));
}

function plain({ queryChunks }: SQL): SQL {
  const identifierOf = (column: SQLChunk) =>
    is(column, Column) ? sql.identifier(toSnakeCase(column.name)) : column;
  return new SQL(queryChunks.map((chunk) => (Array.isArray(chunk) ? chunk.map(identifierOf) : chunk)));
}
