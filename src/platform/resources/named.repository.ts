/** Rows whose name is taken once, for collections. */
import { asc, eq } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db } from "../storage/open.ts";

export type NamedTable = SQLiteTable & { id: SQLiteColumn; name: SQLiteColumn };
export interface NamedRow {
  id: number;
  name: string;
}

/** Reads and writes the rows of a table. `Row` is what the table's columns hold. */
export class NamedRows<Row extends NamedRow> {
  constructor(private readonly table: NamedTable) {}

  /** In the order of their creation. */
  all(db: Db): Row[] {
    return db.select().from(this.table).orderBy(asc(this.table.id)).all() as Row[];
  }

  find(db: Db, id: number): Row | undefined {
    return db.select().from(this.table).where(eq(this.table.id, id)).get() as Row | undefined;
  }

  findByName(db: Db, name: string): Row | undefined {
    return db.select().from(this.table).where(eq(this.table.name, name)).get() as Row | undefined;
  }

  /** @returns the id of the new row */
  insert(db: Db, row: Omit<Row, "id">): number {
    const inserted = db.insert(this.table).values(row as never);
    return (inserted.returning({ id: this.table.id }).get() as { id: number }).id;
  }

  update(db: Db, id: number, columns: Partial<Omit<Row, "id">>): void {
    db.update(this.table)
      .set(columns as never)
      .where(eq(this.table.id, id))
      .run();
  }

  delete(db: Db, id: number): void {
    db.delete(this.table).where(eq(this.table.id, id)).run();
  }
}
