/** A statement with the members of a prepared statement of SQLite. */
import { withoutNul } from "../../text.ts";
import type { PostgresRows, PostgresStatementCall } from "./driver-protocol.ts";

/** A statement of PostgreSQL, and how often it was used. */
export interface TranslatedStatement {
  text: string;
  uses: number;
  name: string | null;
}

/** Parameters as the server reads them: SQLite takes true for 1, and its texts can contain U+0000. */
export function encoded(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return withoutNul(value);
  return value === undefined ? null : value;
}

/** Rows as objects by the names of their columns. Of columns with one name, the last one counts. */
export function objectsOf({ columns, rows }: PostgresRows): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

/** Runs the calls of statements. */
interface Runner {
  nameOf(statement: TranslatedStatement): string | null;
  enqueue(call: PostgresStatementCall): void;
  read(call: PostgresStatementCall): PostgresRows;
}

/** A prepared statement. `run` may only queue it, so it does not know how many rows change, and returns NaN. */
export class PostgresStatement {
  constructor(
    private readonly client: Runner,
    private readonly translated: TranslatedStatement,
  ) {}

  run(...params: unknown[]): { changes: number; lastInsertRowid: number } {
    this.client.enqueue(this.#call(params));
    return { changes: Number.NaN, lastInsertRowid: Number.NaN };
  }

  values(...params: unknown[]): unknown[][] {
    return this.client.read(this.#call(params)).rows;
  }

  all(...params: unknown[]): Record<string, unknown>[] {
    return objectsOf(this.client.read(this.#call(params)));
  }

  get(...params: unknown[]): Record<string, unknown> | null {
    return this.all(...params)[0] ?? null;
  }

  #call(params: unknown[]): PostgresStatementCall {
    const name = this.client.nameOf(this.translated);
    return { text: this.translated.text, name, params: inOrder(params).map(encoded) };
  }
}

/** Parameters are passed one by one, or as one list. */
function inOrder(params: unknown[]): unknown[] {
  const [first] = params;
  return Array.isArray(first) ? first : params;
}
