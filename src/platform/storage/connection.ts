/** The members of a connection that repositories use, for both engines. bun:sqlite's Database has them. */
interface Statement<Row, Params extends unknown[]> {
  run(...params: Params): unknown;
  get(...params: Params): Row | null;
  all(...params: Params): Row[];
  values(...params: Params): unknown[][];
}

type Listed<Params> = Params extends unknown[] ? Params : [Params];

export interface DatabaseConnection {
  // biome-ignore lint/suspicious/noExplicitAny: parameters that are not declared may be anything
  prepare<Row = unknown, Params = any[]>(sql: string): Statement<Row, Listed<Params>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  query<Row = unknown, Params = any[]>(sql: string): Statement<Row, Listed<Params>>;
  run(sql: string, ...params: unknown[]): unknown;
  /** Makes a function that runs `work` in a transaction; within another one, in a savepoint. */
  transaction<T>(work: () => T): { (): T; deferred: () => T; immediate: () => T };
  close(): void;
}
