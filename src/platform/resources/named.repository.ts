/** Rows with a unique name or other key: those of collections. */
import { and, asc, eq, getTableColumns, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { countRows } from "../storage/count.repository.ts";
import type { Db } from "../storage/open.ts";
import { pagesById } from "../storage/pages.repository.ts";

export type NamedTable = SQLiteTable & { id: SQLiteColumn };
export interface NamedRow {
  id: number;
}

/**
 * Reads and writes the rows of a table. `Row` is a row as callers have it, `Stored` the columns of the table. Where
 * they differ, a subclass converts them.
 */
export class NamedRows<Row extends NamedRow, Stored extends NamedRow = Row> {
  /**
   * @param key the column of the resource's key
   * @param condition selects the rows of the collection; without it, all
   */
  constructor(
    private readonly table: NamedTable,
    private readonly key = "name",
    private readonly condition?: SQL,
  ) {}

  /** Rows in the order of their creation. */
  all(db: Db): Row[] {
    const rows = db.select().from(this.table).where(this.condition).orderBy(asc(this.table.id)).all();
    return this.complete(db, rows as unknown as Stored[]);
  }

  /** Rows in pages of a bounded number. Each page is read when it is needed. */
  *pages(db: Db): Generator<Row[]> {
    for (const rows of pagesById(db, this.table, this.condition))
      yield this.complete(db, rows as unknown as Stored[]);
  }

  count(db: Db): number {
    return countRows(db, this.table, this.condition);
  }

  find(db: Db, id: number): Row | undefined {
    return this.#find(db, eq(this.table.id, id));
  }

  /** A row with the columns of the table, and with the fields that callers have in addition. */
  findStored(db: Db, id: number): object | undefined {
    const stored = db.select().from(this.table).where(eq(this.table.id, id)).get();
    return stored && { ...this.complete(db, [stored as unknown as Stored])[0], ...stored };
  }

  findByKey(db: Db, key: unknown): Row | undefined {
    return this.#find(db, eq(this.#column, key));
  }

  get #column(): SQLiteColumn {
    return getTableColumns(this.table)[this.key] as SQLiteColumn;
  }

  /** @returns the id of the new row */
  insert(db: Db, row: Omit<Row, "id">): number {
    const inserted = db.insert(this.table).values(this.columnsOf(db, row as Partial<Row>) as never);
    return (inserted.returning({ id: this.table.id }).get() as { id: number }).id;
  }

  update(db: Db, id: number, columns: Partial<Omit<Row, "id">>): void {
    db.update(this.table)
      .set(this.columnsOf(db, columns as Partial<Row>) as never)
      .where(eq(this.table.id, id))
      .run();
  }

  delete(db: Db, id: number): void {
    db.delete(this.table).where(eq(this.table.id, id)).run();
  }

  #find(db: Db, condition: SQL): Row | undefined {
    const row = db.select().from(this.table).where(and(condition, this.condition)).get();
    return row && this.complete(db, [row as unknown as Stored])[0];
  }

  /** Converts rows of the table to rows for callers, with data from other tables. */
  protected complete(_db: Db, rows: readonly Stored[]): Row[] {
    return rows as unknown as Row[];
  }

  /** The columns of a row, or of those fields of it that change. */
  protected columnsOf(_db: Db, row: Partial<Row>): object {
    return row;
  }
}
