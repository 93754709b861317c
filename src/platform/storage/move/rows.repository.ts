/** Reads and writes the rows of any table, in pages of bounded size, on either engine. */
import type { DatabaseConnection } from "../connection.ts";
import type { MovedTable } from "./tables.ts";

/** A value as both engines return it: flags as 0 and 1. */
export type Value = number | string | Uint8Array | null;
export type MovedRow = readonly Value[];

const quoted = (name: string) => `"${name}"`;
/** Quoted names, as in a list of columns. */
export const quotedList = (names: readonly string[]) => names.map(quoted).join(", ");
/** The names of the columns of a table, in their order in the schema. */
export const columnsOf = ({ columns }: MovedTable) => columns.map(({ name }) => name);

/** All rows of a table in the order of its key, page by page. */
export function* pagesOf(client: DatabaseConnection, table: MovedTable): Generator<MovedRow[]> {
  const names = columnsOf(table);
  const key = table.key.map((name) => names.indexOf(name));
  const select = `select ${quotedList(names)} from ${quoted(table.name)}`;
  const order = `order by ${quotedList(table.key)} limit ${table.pageRows}`;
  const after = `where (${quotedList(table.key)}) > (${key.map(() => "?").join(", ")})`;
  let last: MovedRow | undefined;
  do {
    const from = last;
    const page = (
      from
        ? client.query(`${select} ${after} ${order}`).values(...key.map((i) => from[i]))
        : client.query(`${select} ${order}`).values()
    ) as MovedRow[];
    if (page.length > 0) yield page;
    last = page.length === table.pageRows ? page.at(-1) : undefined;
  } while (last);
}

/** Number of rows of a table. Reads all of them. */
export function countRows(client: DatabaseConnection, { name }: MovedTable): number {
  return client.query<{ n: number }>(`select count(*) as n from ${quoted(name)}`).get()?.n ?? 0;
}

/** The largest row number; 0 without rows. */
export function largestId(client: DatabaseConnection, { name, numbered }: MovedTable): number {
  const select = `select max("${numbered}") as id from ${quoted(name)}`;
  return client.query<{ id: number | null }>(select).get()?.id ?? 0;
}
