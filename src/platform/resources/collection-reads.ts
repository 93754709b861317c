/** What callers read of a named collection. It needs only the database, so it can run on query workers. */
import { found } from "../http/errors.ts";
import type { Reach, Scope } from "../http/scope.ts";
import { inNameOrder } from "../sort-key.ts";
import type { Db } from "../storage/open.ts";
import type { NamedRow, NamedRows } from "./named.repository.ts";
import { type ContentOf, contentIn, type RecordOf, type Resource } from "./resource.ts";

/**
 * The order of a list: by name, or as the repository returns the rows, which is by creation unless the kind has an
 * order of its own.
 */
export type Order = "name" | "rows";

/**
 * Lists and records of one resource. Subclasses say which rows a scope sees, and compute the derived fields.
 */
export abstract class CollectionReads<S extends Resource, Row extends NamedRow> {
  constructor(
    readonly db: Db,
    readonly resource: S,
    readonly rows: NamedRows<Row, never>,
    private readonly order: Order,
  ) {}

  /** The content of a row, in full. */
  contentOf(row: Row): ContentOf<S> {
    return contentIn(this.resource, row as unknown as Record<string, unknown>);
  }

  /** The text by which a list in the order of names is sorted. */
  protected nameOf(row: Row): string {
    return (row as Row & { name: string }).name;
  }

  /** Whether the row exists for callers. */
  isPresent(_row: Row): boolean {
    return true;
  }

  /** The rows that this scope sees, each without the parts that are hidden from it. */
  visible(rows: Row[], _scope: Scope): Row[] {
    return rows;
  }

  /** Prepares a function that computes the derived fields of each of these rows. */
  protected abstract derived(reach: Reach, rows: readonly Row[]): (row: Row) => Partial<RecordOf<S>>;

  /** Number of rows that exist for callers. */
  count(): number {
    return this.rows.count(this.db);
  }

  /** All rows that exist for callers, in order. */
  all(): Row[] {
    const rows = this.rows.all(this.db).filter((row) => this.isPresent(row));
    return this.order === "name" ? inNameOrder(rows, this.nameOf) : rows;
  }

  /** @param reach the hosts that the caller sees, and those that they may change */
  list(reach: Reach): { totalRecords: number; records: RecordOf<S>[] } {
    const records = this.records(this.visible(this.all(), reach.view), reach);
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 if the object does not exist or is hidden from the caller */
  get(id: number, reach: Reach): RecordOf<S> {
    const [record] = this.records(this.visible(this.#rowsOf(id), reach.view), reach);
    return found(record, this.resource.noun, id);
  }

  /** Rows as records for a caller. */
  records(rows: readonly Row[], reach: Reach): RecordOf<S>[] {
    const derived = this.derived(reach, rows);
    return rows.map((row) => {
      const content = this.contentOf(row) as object;
      return { id: row.id, ...content, ...derived(row) } as RecordOf<S>;
    });
  }

  #rowsOf(id: number): Row[] {
    const row = this.rows.find(this.db, id);
    return row && this.isPresent(row) ? [row] : [];
  }
}
