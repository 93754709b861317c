/** Changes of named collections: unique names, a bound on their number, rights and references. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { type DeclaredError, errors, found } from "../http/errors.ts";
import { FULL_REACH, type Reach, type Scope } from "../http/scope.ts";
import { onRollback, transaction } from "../storage/open.ts";
import { type RevisionKind, recordChange, recordRevision } from "../storage/revisions.repository.ts";
import type { CollectionReads } from "./collection-reads.ts";
import type { ReferenceKind } from "./marks.ts";
import type { NamedRow } from "./named.repository.ts";
import { mayReferTo, type Ref, type References, refsIn } from "./references.ts";
import { type ContentOf, changesOf, type Resource, type UpdateOf } from "./resource.ts";

/** What an import did to an object; incomplete: it lacks a secret that the file does not contain. */
export type PutOutcome = "created" | "updated" | "incomplete";

export interface CollectionParts<S extends Resource, Row extends NamedRow> {
  reads: CollectionReads<S, Row>;
  references: References;
  /** The error if the name, or another key, is taken. */
  taken: DeclaredError<[key: string]>;
  /** The most objects in the collection. */
  maxObjects: number;
  /** If the past of the objects is recorded: the kind of their revisions. */
  recorded?: { kind: RevisionKind; clock: Clock };
}

/**
 * A named collection of objects. A subclass validates content, and may add to a change. Each change is one
 * transaction.
 */
export abstract class Collection<S extends Resource, Row extends NamedRow> {
  readonly reads: CollectionReads<S, Row>;
  protected readonly references: References;

  constructor(private readonly parts: CollectionParts<S, Row>) {
    this.reads = parts.reads;
    this.references = parts.references;
  }

  /**
   * The columns of new content, which is valid by its schema and refers to existing objects.
   * @throws ApiError 400 if its fields contradict each other
   */
  protected abstract columnsOf(content: ContentOf<S>, before: Row | null): Omit<Row, "id">;

  /** Whether a caller who may change these hosts may change the object. */
  protected mayChange(_content: ContentOf<S>, scope: Scope): boolean {
    return scope === "all";
  }

  /**
   * Whether a caller who may not change the object may see that it exists. It runs on the message thread, so it must
   * not read names.
   */
  protected isKnown(_content: ContentOf<S>, _view: Scope): boolean {
    return true;
  }

  /** @returns the id @throws ApiError 400, 403, 409 if the name is taken */
  create(content: ContentOf<S>, { act }: Reach = FULL_REACH): number {
    const { maxObjects, reads } = this.parts;
    return this.changing(() => {
      this.#check(content, content as object, null, act);
      this.#refuseTaken(content);
      if (reads.count() >= maxObjects)
        throw errors.badRequest(`There are at most ${maxObjects} ${reads.resource.plural}; delete one first`);
      const objectId = this.inserted(this.columnsOf(content, null), content);
      const { recorded } = this.parts;
      if (recorded) {
        const { kind, clock } = recorded;
        recordRevision(reads.db, { kind, hostId: null, objectId, until: clock.now(), content: null });
      }
      return objectId;
    });
  }

  /** Changes the fields that differ from what the caller sees. @throws ApiError 400, 403, 404, 409 */
  update(sent: UpdateOf<S>, reach: Reach = FULL_REACH): void {
    this.changing(() => {
      const row = this.#findToChange(sent.id, reach);
      const content = this.#changedContent(row, sent, reach);
      if (this.#keyOf(content) !== this.#keyOf(this.reads.contentOf(row))) this.#refuseTaken(content);
      const columns = this.columnsOf(content, row);
      this.#recording(row.id, () => this.updated(row, columns, content));
    });
  }

  /**
   * Deletes an object: at once or, if more rows belong to it than fit into a step, in steps between which others are served.
   * If Muster ends in between, the object is still there, with what is left of its rows, and can be deleted again.
   * @throws ApiError 403, 404
   */
  delete(id: number, reach: Reach = FULL_REACH): void | Promise<void> {
    if (this.#deleteStep(id, reach)) return;
    let isUndone = false;
    // The first step can be part of a transaction of the caller, who may still roll it back.
    onRollback(this.reads.db, () => {
      isUndone = true;
    });
    return this.#deleteRest(id, reach, () => isUndone);
  }

  async #deleteRest(id: number, reach: Reach, isUndone: () => boolean): Promise<void> {
    do {
      await nextTurn();
      if (isUndone()) return;
    } while (!this.#deleteStep(id, reach));
  }

  /** @returns whether all was deleted, with the object */
  #deleteStep(id: number, reach: Reach): boolean {
    return this.changing(() => {
      const row = this.#findToChange(id, reach);
      const isEmpty = this.#recording(id, () => this.emptied(row));
      if (isEmpty) this.#recording(id, () => this.deleted(row), true);
      return isEmpty;
    });
  }

  /** The fields of an object that callers set. @throws ApiError 404 */
  content(id: number): ContentOf<S> {
    return this.reads.contentOf(this.#find(id));
  }

  /** What the audit log says of an object. @throws ApiError 404 */
  audited(id: number): object {
    return this.content(id) as object;
  }

  /**
   * The row of an object for a preview, which is not stored: a stored object, one with other content, or a new one.
   * @param id of the stored object
   * @throws ApiError as `create` and `update` do
   */
  draft(id: number | undefined, content: ContentOf<S> | undefined, reach: Reach): Omit<Row, "id"> {
    const row = id === undefined ? null : this.#findToChange(id, reach);
    if (!row) {
      const { noun } = this.reads.resource;
      if (content === undefined)
        throw errors.missingArgument(noun, `a ${noun}, unless id names a stored one`);
      this.#check(content, content as object, null, reach.act);
      return this.columnsOf(content, null);
    }
    const sent = { ...(content as object | undefined), id: row.id } as UpdateOf<S>;
    return this.columnsOf(this.#changedContent(row, sent, reach), row);
  }

  /** The references to objects of a kind that are stored, in pages that each read a bounded number of rows. */
  *refsTo(kind: ReferenceKind): Generator<Ref[]> {
    const { db, resource, rows } = this.reads;
    if (!mayReferTo(resource.content, kind)) return;
    for (const page of rows.pages(db))
      yield page.flatMap((row) => refsIn(resource.content, this.reads.contentOf(row) as object, kind));
  }

  /** The content of all objects, in order, for the export file. @param _withSecrets whether it may contain secrets */
  contents(_withSecrets: boolean): ContentOf<S>[] {
    return this.reads.all().map((row) => this.reads.contentOf(row));
  }

  /**
   * Creates the object with this name or other key, or updates it. For imports.
   * @param _place in the file, from 1
   * @throws ApiError as `create` and `update`
   */
  put(content: ContentOf<S>, _place: number): PutOutcome {
    const row = this.reads.rows.findByKey(this.reads.db, this.#keyOf(content));
    if (row) this.update({ ...(content as object), id: row.id } as UpdateOf<S>);
    else this.create(content);
    return row ? "updated" : "created";
  }

  /** Runs a change in one transaction. A subclass may invalidate its caches. */
  protected changing<T>(change: () => T): T {
    return transaction(this.reads.db, change);
  }

  protected inserted(columns: Omit<Row, "id">, _content: ContentOf<S>): number {
    return this.reads.rows.insert(this.reads.db, columns);
  }

  protected updated(row: Row, columns: Omit<Row, "id">, _content: ContentOf<S>): void {
    this.reads.rows.update(this.reads.db, row.id, columns as Partial<Omit<Row, "id">>);
  }

  /**
   * Deletes some of the rows that belong to an object which is being deleted, if there can be many: otherwise the database
   * would delete all of them with it, however long that takes.
   * @returns whether few enough are left to be deleted with the object
   * @throws ApiError 409 if it cannot be deleted, as others refer to it
   */
  protected emptied(_row: Row): boolean {
    return true;
  }

  protected deleted(row: Row): void {
    this.reads.rows.delete(this.reads.db, row.id);
  }

  /** Makes a change of an object, and records what it replaces. */
  #recording<T>(objectId: number, change: () => T, isDeletion = false): T {
    const { db, rows } = this.reads;
    const { recorded } = this.parts;
    const before = recorded && rows.findStored(db, objectId);
    const result = change();
    if (!before) return result;
    const revision = { kind: recorded.kind, hostId: null, objectId, until: recorded.clock.now() };
    if (isDeletion) recordRevision(db, { ...revision, content: { ...before } });
    else recordChange(db, revision, before, rows.findStored(db, objectId) ?? {});
    return result;
  }

  #changedContent(row: Row, sent: UpdateOf<S>, reach: Reach): ContentOf<S> {
    const { reads } = this;
    const before = reads.contentOf(row) as object;
    const [visible = row] = reads.visible([row], reach.view);
    // Derived fields may take many rows to compute.
    const isAddedSent = reads.resource.derived.some((name) => name in sent);
    const [record] = isAddedSent ? reads.records([visible], reach) : [];
    const shown = (record ?? reads.contentOf(visible)) as object;
    const changes = changesOf(reads.resource, shown, sent) as object;
    const content = { ...before, ...changes } as ContentOf<S>;
    this.#check(content, changes, shown, reach.act);
    return content;
  }

  /**
   * @param changes the fields whose references are new
   * @param shown the object as the caller saw it: its references may be to deleted or hidden objects
   * @throws ApiError 400, 403
   */
  #check(content: ContentOf<S>, changes: object, shown: object | null, act: Scope): void {
    this.references.refuseUnknown(this.reads.resource.content, changes, shown, act);
    if (!this.mayChange(content, act)) throw errors.notGranted();
  }

  #refuseTaken(content: ContentOf<S>): void {
    const key = this.#keyOf(content);
    if (this.reads.rows.findByKey(this.reads.db, key)) throw this.parts.taken(String(key));
  }

  #keyOf(content: ContentOf<S>): unknown {
    return (content as Record<string, unknown>)[this.reads.resource.key];
  }

  #find(id: number): Row {
    const row = this.reads.rows.find(this.reads.db, id);
    return found(row && this.reads.isPresent(row) ? row : undefined, this.reads.resource.noun, id);
  }

  #findToChange(id: number, { view, act }: Reach): Row {
    const row = this.#find(id);
    const content = this.reads.contentOf(row);
    if (this.mayChange(content, act)) return row;
    throw this.isKnown(content, view) ? errors.notGranted() : errors.notFound(this.reads.resource.noun, id);
  }
}
