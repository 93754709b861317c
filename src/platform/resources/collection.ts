/** What every change of a named collection does: names taken once, a bound on their number, rights and references. */
import { type DeclaredError, errors, found } from "../http/errors.ts";
import { FULL_REACH, type Reach, type Scope } from "../http/scope.ts";
import { transaction } from "../storage/open.ts";
import type { CollectionReads } from "./collection-reads.ts";
import type { NamedRow } from "./named.repository.ts";
import type { References } from "./references.ts";
import { type ContentOf, changesOf, type Resource, type UpdateOf } from "./resource.ts";

export interface CollectionParts<S extends Resource, Row extends NamedRow> {
  reads: CollectionReads<S, Row>;
  references: References;
  /** The error for a name that another one has. */
  taken: DeclaredError<[name: string]>;
  /** Most objects. */
  most: number;
}

/**
 * A named collection of objects. A subclass says which content is right; it may override what else a change does. All
 * changes are in one transaction.
 */
export abstract class Collection<S extends Resource, Row extends NamedRow> {
  readonly reads: CollectionReads<S, Row>;
  protected readonly references: References;

  constructor(private readonly parts: CollectionParts<S, Row>) {
    this.reads = parts.reads;
    this.references = parts.references;
  }

  /**
   * The columns of new content, which is valid by its schema and refers to what exists.
   * @throws ApiError 400 if its fields contradict each other
   */
  protected abstract columnsOf(content: ContentOf<S>, before: Row | null): Omit<Row, "id">;

  /** Whether a caller who may change these hosts may change the object. */
  protected mayChange(_content: ContentOf<S>, scope: Scope): boolean {
    return scope === "all";
  }

  /**
   * Whether somebody who may not change the object may know of it. It is asked on the thread of messages, so it must not
   * read names.
   */
  protected isKnown(_content: ContentOf<S>, _view: Scope): boolean {
    return true;
  }

  /** @returns the id @throws ApiError 400, 403, 409 if the name is taken */
  create(content: ContentOf<S>, { act }: Reach = FULL_REACH): number {
    const { most, reads } = this.parts;
    return this.changing(() => {
      this.#check(content, content as object, null, act);
      this.#refuseTaken(content);
      if (reads.all().length >= most)
        throw errors.badRequest(`There are at most ${most} ${reads.resource.what}s; delete one first`);
      return this.inserted(this.columnsOf(content, null), content);
    });
  }

  /** Changes the fields that differ from what the caller sees. @throws ApiError 400, 403, 404, 409 */
  update(sent: UpdateOf<S>, reach: Reach = FULL_REACH): void {
    this.changing(() => {
      const row = this.#findToChange(sent.id, reach);
      const content = this.#changedContent(row, sent, reach);
      if ((content as NamedRow).name !== row.name) this.#refuseTaken(content);
      this.updated(row, this.columnsOf(content, row), content);
    });
  }

  /** @throws ApiError 403, 404 */
  delete(id: number, reach: Reach = FULL_REACH): void {
    this.changing(() => this.deleted(this.#findToChange(id, reach)));
  }

  /** Everything that callers set in an object, for the audit log. @throws ApiError 404 */
  content(id: number): ContentOf<S> {
    return this.reads.contentOf(this.#find(id));
  }

  /**
   * An object for a preview, which is not stored: a stored one, one with other content, or a new one.
   * @param id of the stored one @throws ApiError as `create` and `update` do
   */
  draft(id: number | undefined, content: ContentOf<S> | undefined, reach: Reach): Omit<Row, "id"> {
    const row = id === undefined ? null : this.#findToChange(id, reach);
    if (!row) {
      const { what } = this.reads.resource;
      if (content === undefined)
        throw errors.missingArgument(what, `a ${what}, unless id names a stored one`);
      this.#check(content, content as object, null, reach.act);
      return this.columnsOf(content, null);
    }
    const sent = { ...(content as object | undefined), id: row.id } as UpdateOf<S>;
    return this.columnsOf(this.#changedContent(row, sent, reach), row);
  }

  /** The content of all, in order, for the export file. */
  contents(): ContentOf<S>[] {
    return this.reads.all().map((row) => this.reads.contentOf(row));
  }

  /** Creates the object of this name, or gives it this content. Of an import. @throws ApiError as `create` and `update` */
  put(content: ContentOf<S>): "created" | "updated" {
    const row = this.reads.rows.findByName(this.reads.db, (content as NamedRow).name);
    if (row) this.update({ ...(content as object), id: row.id } as UpdateOf<S>);
    else this.create(content);
    return row ? "updated" : "created";
  }

  /** Runs a change in one transaction. A subclass may drop what it remembers. */
  protected changing<T>(change: () => T): T {
    return transaction(this.reads.db, change);
  }

  protected inserted(columns: Omit<Row, "id">, _content: ContentOf<S>): number {
    return this.reads.rows.insert(this.reads.db, columns);
  }

  protected updated(row: Row, columns: Omit<Row, "id">, _content: ContentOf<S>): void {
    this.reads.rows.update(this.reads.db, row.id, columns as Partial<Omit<Row, "id">>);
  }

  protected deleted(row: Row): void {
    this.reads.rows.delete(this.reads.db, row.id);
  }

  #changedContent(row: Row, sent: UpdateOf<S>, reach: Reach): ContentOf<S> {
    const { reads } = this;
    const before = reads.contentOf(row) as object;
    const [shown = before] = reads.records(reads.visible([row], reach.view), reach);
    const changes = changesOf(reads.resource, shown, sent) as object;
    const content = { ...before, ...changes } as ContentOf<S>;
    this.#check(content, changes, before, reach.act);
    return content;
  }

  /** @param changes the fields whose references are new @throws ApiError 400, 403 */
  #check(content: ContentOf<S>, changes: object, before: object | null, act: Scope): void {
    // A reference that was there before may be to a deleted object. To a caller who does not see all, it is none.
    const kept = act === "all" ? before : null;
    this.references.refuseUnknown(this.reads.resource.content, changes, kept, act);
    if (!this.mayChange(content, act)) throw errors.notGranted();
  }

  #refuseTaken(content: ContentOf<S>): void {
    const { name } = content as NamedRow;
    if (this.reads.rows.findByName(this.reads.db, name)) throw this.parts.taken(name);
  }

  #find(id: number): Row {
    const row = this.reads.rows.find(this.reads.db, id);
    return found(row && this.reads.isPresent(row) ? row : undefined, this.reads.resource.what, id);
  }

  #findToChange(id: number, { view, act }: Reach): Row {
    const row = this.#find(id);
    const content = this.reads.contentOf(row);
    if (this.mayChange(content, act)) return row;
    throw this.isKnown(content, view) ? errors.notGranted() : errors.notFound(this.reads.resource.what, id);
  }
}
