/** Moment databases. The last used ones are kept for a while, as a screen asks several times about one moment. */
import type { Clock } from "../../platform/clock.ts";
import { LruMap } from "../../platform/lru-map.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { emptyDatabase } from "../../platform/storage/empty-database.ts";
import type { Db } from "../../platform/storage/open.ts";
import { KnownMoments, MAX_SERVICES } from "./known-moments.ts";
import { MomentDatabase } from "./moment-database.ts";
import { readValues } from "./moment-rows.ts";
import { isStillToday, readToday, type Today } from "./today.repository.ts";

/** The most databases that are kept. */
export const MAX_KEPT = 16;
/** The most memory of all kept databases, bytes. */
export const MAX_KEPT_BYTES = 96 * 1024 * 1024;

interface Kept<T> {
  database: MomentDatabase;
  queries: T;
  /** Unix seconds. */
  madeAt: number;
  today: Today;
  bytes: number;
}

export interface MomentsOptions<T> {
  settings: SettingsReader;
  clock: Clock;
  /** Builds the queries of the present over a database, with a clock that stands still. */
  queriesOver: (db: Db, clock: Clock) => T;
  /**
   * How long a database is used, seconds. It lacks what arrives later, but never shows a host that was deleted or
   * hidden since. 0: each is used once.
   */
  keptSeconds: number;
  /** The most services of all hosts. With more, only moments of some hosts are composed. */
  maxServices?: number | undefined;
}

/**
 * Runs queries over moment databases, and composes those that are not kept. It reads much: use it on a query
 * worker.
 */
export class Moments<T> {
  readonly known: KnownMoments;
  readonly #kept = new LruMap<string, Kept<T>>(MAX_KEPT, ({ database }) => database.db.$client.close());

  constructor(
    private readonly history: Db,
    private readonly options: MomentsOptions<T>,
  ) {
    this.known = new KnownMoments(history, options.settings, options.clock);
  }

  /**
   * Runs a query about a moment.
   * @param at unix seconds
   * @param hostIds the hosts that it is about; undefined: all
   * @throws ApiError 400 if the moment is not known
   */
  run<R>(
    at: number,
    hostIds: readonly number[] | undefined,
    query: (queries: T, database: MomentDatabase) => R,
  ): R {
    this.known.check(at);
    const key = `${at} ${hostIds?.join() ?? "all"}`;
    const kept = this.#usable(key) ?? this.#make(at, hostIds);
    if (this.options.keptSeconds === 0) {
      try {
        return query(kept.queries, kept.database);
      } finally {
        kept.database.db.$client.close();
      }
    }
    this.#kept.set(key, kept);
    try {
      return query(kept.queries, kept.database);
    } finally {
      kept.bytes = sizeOf(kept.database.db);
      this.#limitMemory();
    }
  }

  /** How many databases are kept, and how many bytes they have. */
  get kept(): { databases: number; bytes: number } {
    const all = [...this.#kept.values()];
    return { databases: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #usable(key: string): Kept<T> | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    const isNew = Math.abs(this.options.clock.now() - kept.madeAt) < this.options.keptSeconds;
    if (isNew && isStillToday(this.history, kept.today)) return kept;
    this.#drop(key, kept);
    return undefined;
  }

  #make(at: number, hostIds: readonly number[] | undefined): Kept<T> {
    if (!hostIds) this.known.refuseTooLarge(this.options.maxServices ?? MAX_SERVICES);
    const today = readToday(this.history);
    const scope = { at, hostIds, recorded: this.known.recorded };
    const database = new MomentDatabase(emptyDatabase(), this.history, scope);
    const queries = this.options.queriesOver(database.db, { now: () => at });
    return { database, queries, madeAt: this.options.clock.now(), today, bytes: 0 };
  }

  /** Drops the least recently used databases until the others fit into the memory, but keeps the last one. */
  #limitMemory(): void {
    let { bytes } = this.kept;
    for (const [key, kept] of this.#kept) {
      if (bytes <= MAX_KEPT_BYTES || this.#kept.size === 1) return;
      bytes -= kept.bytes;
      this.#drop(key, kept);
    }
  }

  #drop(key: string, kept: Kept<T>): void {
    this.#kept.delete(key);
    kept.database.db.$client.close();
  }
}

/** Bytes of memory of a database. */
function sizeOf(db: Db): number {
  const [row] = readValues(
    db,
    "select page_count * page_size from pragma_page_count() as pages, pragma_page_size() as size",
  );
  return Number(row?.[0] ?? 0);
}
