/**
 * Writes of single rows that many callers make in one transaction. SQLite runs a statement for each row. PostgreSQL gets
 * the rows that come before the next reader in one statement, with the first of them: a flush of 256 messages then takes
 * as many statements as one message.
 */
import { type Db, prepareOnce } from "./open.ts";

/**
 * A write of one row. On PostgreSQL it may overtake what was written between the first row and this one, so it must not
 * depend on that: each row is about another host, or only adds (see `sealRows`).
 */
export interface RowStatement {
  /** With a `?` for each value of the row. Absent if only PostgreSQL has such rows. */
  sqlite?: string;
  /** `?1` is the list of the first values, and so on, as `unnest` takes them. */
  postgres: string;
  /** The writes whose rows have to be there before rows of this one. */
  after?: readonly RowStatement[];
}

/** Prepares a write of rows. */
export function rowWriter<Row extends unknown[]>(statement: RowStatement): (db: Db, ...row: Row) => void {
  const prepared = prepareOnce((db) => {
    if (db.engine.kind === "postgres") {
      const after = statement.after?.map(({ postgres }) => postgres) ?? [];
      return db.engine.client.rowWriter(statement.postgres, after);
    }
    if (statement.sqlite === undefined) throw new Error("these rows are written on PostgreSQL only");
    const single = db.$client.prepare(statement.sqlite);
    // As one argument: bun:sqlite would copy a list of arguments again.
    return (row: Row) => void single.run(row);
  });
  return (db, ...row) => prepared(db)(row);
}

/** Keeps rows written from here on from overtaking what was written before: they may be about the same host. */
export function sealRows(db: Db): void {
  if (db.engine.kind === "postgres") db.engine.client.sealRows();
}
