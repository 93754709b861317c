/**
 * The engine behind a database. Only this folder knows it (.dependency-cruiser.cjs); all other code is written for
 * both.
 */
import type { Database } from "bun:sqlite";
import type { PostgresClient } from "./postgres/client.ts";

export type Engine =
  | { readonly kind: "sqlite"; readonly client: Database }
  | { readonly kind: "postgres"; readonly client: PostgresClient };

const ENGINE = Symbol("engine");

/** An object that has an engine. */
export interface OnEngine {
  readonly [ENGINE]: Engine;
}

/** The engine that `onEngine` set. */
export function engineOf(db: OnEngine): Engine {
  return db[ENGINE];
}

/** Sets the engine of a database of the query builder. */
export function onEngine<T extends object>(db: T, engine: Engine): T & OnEngine {
  return Object.assign(db, { [ENGINE]: engine });
}
