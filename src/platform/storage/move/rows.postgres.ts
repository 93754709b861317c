import type { DatabaseConnection } from "../connection.ts";
import { columnsOf, largestId, type MovedRow, quotedList, type Value } from "./rows.repository.ts";
import type { MoveSide, MoveTarget } from "./sides.ts";
import type { MovedTable } from "./tables.ts";

const sequenceOf = ({ name, numbered }: MovedTable) =>
  `pg_get_serial_sequence('"${name}"', '${numbered}')::regclass`;

/** A value as JSON that PostgreSQL reads into a column. */
function jsonValue(value: Value, isFlag: boolean): unknown {
  if (isFlag && value !== null) return value !== 0;
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}

function rowsAsJson({ columns }: MovedTable, rows: readonly MovedRow[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(columns.map(({ name, isFlag }, i) => [name, jsonValue(row[i] ?? null, isFlag)])),
    ),
  );
}

/**
 * A database on a server, to be read. The last id of a table is that of its sequence, even if its row was
 * deleted.
 */
export function serverSource(client: DatabaseConnection): MoveSide {
  return {
    client,
    keepsLastId: () => true,
    lastId: (table) => {
      const sequence = client
        .query<{ last: number | null }>(`select pg_sequence_last_value(${sequenceOf(table)}) as last`)
        .get();
      return Math.max(sequence?.last ?? 0, largestId(client, table));
    },
  };
}

/**
 * Runs `fill` without the indexes that no constraint needs, and creates them afterwards. That takes a fraction of the
 * time of updating them row by row.
 */
export function withoutIndexes<T>(client: DatabaseConnection, fill: () => T): T {
  const indexes = client
    .query<{ name: string; definition: string }>(
      `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = current_schema()::regnamespace
         and i.indexrelid not in (select conindid from pg_constraint)
       order by 1`,
    )
    .all();
  for (const { name } of indexes) client.run(`drop index ${name}`);
  const result = fill();
  for (const { definition } of indexes) client.query(definition).values();
  return result;
}

/** An empty database on a server. */
export function serverTarget(client: DatabaseConnection): MoveTarget {
  return {
    ...serverSource(client),
    insert: (table, rows) => {
      const names = quotedList(columnsOf(table));
      // Read, so that it is sent at once: statements without a reader are kept in memory.
      client
        .query(
          `insert into "${table.name}" (${names})
           select ${names} from json_populate_recordset(null::"${table.name}", ?::json)`,
        )
        .values(rowsAsJson(table, rows));
    },
    setLastId: (table, id) => {
      if (id > 0) client.query(`select setval(${sequenceOf(table)}, ?)`).get(id);
    },
  };
}
