/** What callers read of a named collection. It needs the database alone, so that it runs on query workers. */
import { found } from "../http/errors.ts";
import type { Reach, Scope } from "../http/scope.ts";
import { inNameOrder } from "../sort-key.ts";
import type { Db } from "../storage/open.ts";
import type { NamedRow, NamedRows } from "./named.repository.ts";
import { type ContentOf, contentIn, type RecordOf, type Resource } from "./resource.ts";

/** Listed in the order of their names, or as the repository has them: by creation, unless the kind has an order of its own. */
export type Order = "name" | "rows";

export abstract class CollectionReads<S extends Resource, Row extends NamedRow> {
  constructor(
    readonly db: Db,
    readonly resource: S,
    readonly rows: NamedRows<Row, never>,
    private readonly order: Order,
  ) {}

  /** What the fields of the resource hold, in full. */
  contentOf(row: Row): ContentOf<S> {
    return contentIn(this.resource, row as unknown as Record<string, unknown>);
  }

  /** The text by which a list in the order of names is sorted. */
  protected nameOf(row: Row): string {
    return (row as Row & { name: string }).name;
  }

  /** Whether the row is still there for callers. */
  isPresent(_row: Row): boolean {
    return true;
  }

  /** Of these rows, those that somebody with this scope sees, each without what they do not see. */
  visible(rows: Row[], _scope: Scope): Row[] {
    return rows;
  }

  /** Prepares what Muster adds to the content of each of these rows when somebody reads them. */
  protected abstract derived(reach: Reach, rows: readonly Row[]): (row: Row) => Partial<RecordOf<S>>;

  /** Number of those that are there. */
  count(): number {
    return this.rows.count(this.db);
  }

  /** All that are there, in order. */
  all(): Row[] {
    const rows = this.rows.all(this.db).filter((row) => this.isPresent(row));
    return this.order === "name" ? inNameOrder(rows, this.nameOf) : rows;
  }

  /** @param reach which hosts the caller sees, and may change things of */
  list(reach: Reach): { totalRecords: number; records: RecordOf<S>[] } {
    const records = this.records(this.visible(this.all(), reach.view), reach);
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 if there is none, or the caller does not see it */
  get(id: number, reach: Reach): RecordOf<S> {
    const [record] = this.records(this.visible(this.#rowsOf(id), reach.view), reach);
    return found(record, this.resource.noun, id);
  }

  /** Rows as a caller is shown them. */
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
