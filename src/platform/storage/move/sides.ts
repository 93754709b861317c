import type { DatabaseConnection } from "../connection.ts";
import type { MovedRow } from "./rows.repository.ts";
import type { MovedTable } from "./tables.ts";

/** One side of a move: the operations in which the two engines differ. */
export interface MoveSide {
  readonly client: DatabaseConnection;
  /** The highest id that a row of the table ever had, as far as it is kept. */
  lastId(table: MovedTable): number;
  /** Whether the highest id is kept when its row is deleted. Nothing refers to the ids of tables where it is not. */
  keepsLastId(table: MovedTable): boolean;
}

export interface MoveTarget extends MoveSide {
  insert(table: MovedTable, rows: readonly MovedRow[]): void;
  setLastId(table: MovedTable, id: number): void;
}
