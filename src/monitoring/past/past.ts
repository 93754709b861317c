/**
 * The past that a database shows. Queries about a moment run over a database in memory with the state of that moment
 * (monitoring/moment). What is too large to be copied there, they read from the real database, `historyOf`, up to the
 * moment, or ask for by `pastOf(db)?.take...`. In the present, both are the same database.
 */
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";

/** What a database about the past offers to queries that run over it. */
export interface Past {
  /** The moment, unix seconds. Facts of this second are part of it. */
  readonly at: number;
  /** Whether changes were already recorded at the moment. Groups, tags and settings of earlier moments are unknown. */
  readonly isRecorded: boolean;
  /** The real database. */
  readonly history: Db;
  /** Takes events as they were, with their services, failures, notes, acknowledgements and messages. */
  takeEvents(ids: readonly number[]): void;
  /** Takes failures as they were, with their events. @param ids of downtime intervals */
  takeFailures(ids: readonly number[]): void;
  /** Takes CPU and memory usage, and the time of the last message. @param hostIds undefined: of all hosts */
  takeUsage(hostIds?: readonly number[]): void;
  /** Takes the last values of some types of statistics of all hosts. */
  takeValues(types: readonly number[]): void;
  /** The hosts that a filter by groups, tags or ids selected then; undefined if it selects the same ones now. */
  hostsThen(filter: HostSelection): number[] | undefined;
}

/** The part of a filter that selects hosts. */
export interface HostSelection {
  hostid?: readonly number[] | undefined;
  hostgroupid?: readonly number[] | undefined;
  tag?: readonly string[] | undefined;
}

const pasts = new WeakMap<Db, Past>();

/** The past that the database shows; undefined for the real one. */
export function pastOf(db: Db): Past | undefined {
  return pasts.get(db);
}

/** The database with the whole history: the real one. */
export function historyOf(db: Db): Db {
  return pasts.get(db)?.history ?? db;
}

/** Marks a database as one that shows the past, for `pastOf` and `historyOf`. */
export function showPast(db: Db, past: Past): void {
  pasts.set(db, past);
}

/** The scope for reads of the real database, where groups have their members of today. */
export function scopeOfHistory(scope: Scope): Scope {
  return scope === "all" ? scope : { groups: scope.groups };
}
