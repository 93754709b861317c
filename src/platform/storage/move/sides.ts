import type { Connection } from "../connection.ts";
import type { Row } from "./rows.repository.ts";
import type { MovedTable } from "./tables.ts";

/** One side of a move: what the two engines do differently. */
export interface MoveSide {
  readonly client: Connection;
  /** The highest id that was ever given to a row of the table: ids are not used again. */
  lastId(table: MovedTable): number;
}

export interface MoveTarget extends MoveSide {
  insert(table: MovedTable, rows: readonly Row[]): void;
  setLastId(table: MovedTable, id: number): void;
}
