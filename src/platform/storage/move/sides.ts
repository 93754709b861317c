import type { DatabaseConnection } from "../connection.ts";
import type { MovedRow } from "./rows.repository.ts";
import type { MovedTable } from "./tables.ts";

/** One side of a move: the operations in which the two engines differ. */
export interface MoveSide {
  readonly client: DatabaseConnection;
  /** The highest id that a row of the table ever had: ids are never reused. */
  lastId(table: MovedTable): number;
}

export interface MoveTarget extends MoveSide {
  insert(table: MovedTable, rows: readonly MovedRow[]): void;
  setLastId(table: MovedTable, id: number): void;
}
