import type { Database } from "bun:sqlite";
import type { DatabaseConnection } from "../connection.ts";
import { columnsOf, largestId, quotedList } from "./rows.repository.ts";
import type { MoveSide, MoveTarget } from "./sides.ts";
import type { MovedTable } from "./tables.ts";

/** Tables that are not declared AUTOINCREMENT continue after their highest row, and have no entry in sqlite_sequence. */
function keepsLastId(client: DatabaseConnection, { name }: MovedTable): boolean {
  const row = client.query<{ sql: string }>("select sql from sqlite_schema where name = ?").get(name);
  return /\bautoincrement\b/i.test(row?.sql ?? "");
}

/** The database file that is read. */
export function fileSource(file: Database): MoveSide {
  const client = file as unknown as DatabaseConnection;
  return {
    client,
    keepsLastId: (table) => keepsLastId(client, table),
    lastId: (table) => {
      const row = client
        .query<{ seq: number }>("select seq from sqlite_sequence where name = ?")
        .get(table.name);
      return Math.max(row?.seq ?? 0, largestId(client, table));
    },
  };
}

/** The new database file that is filled. */
export function fileTarget(client: Database): MoveTarget {
  const source = fileSource(client);
  return {
    ...source,
    insert: (table, rows) => {
      const names = columnsOf(table);
      const insert = client.query(
        `insert into "${table.name}" (${quotedList(names)})
         values (${names.map(() => "?").join(", ")})`,
      );
      client.transaction(() => {
        for (const row of rows) insert.run(...row);
      })();
    },
    setLastId: (table, id) => {
      if (id === 0 || !source.keepsLastId(table)) return;
      client.query("delete from sqlite_sequence where name = ?").run(table.name);
      client.query("insert into sqlite_sequence (name, seq) values (?, ?)").run(table.name, id);
    },
  };
}
