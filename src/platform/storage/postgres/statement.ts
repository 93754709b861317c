/** A statement with the members of a prepared statement of SQLite. */
import type { Translated } from "./dialect.ts";
import type { PostgresRows, PostgresStatementCall } from "./protocol.ts";

/** A translated statement, and how often it was used. */
export interface KnownStatement extends Translated {
  uses: number;
  name: string | null;
}

/** Parameters as the server reads them: SQLite takes true for 1, and its texts may hold U+0000. */
export function encoded(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" && value.includes("\0")) return value.replaceAll("\0", "\ufffd");
  return value === undefined ? null : value;
}

export function objectsOf({ columns, rows }: PostgresRows): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

/** Runs the calls that statements make. */
interface Runner {
  nameOf(known: KnownStatement): string | null;
  enqueue(call: PostgresStatementCall): void;
  read(call: PostgresStatementCall): PostgresRows;
}

export class PostgresStatement {
  constructor(
    private readonly client: Runner,
    private readonly known: KnownStatement,
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
    const { names, text } = this.known;
    return { text, name: this.client.nameOf(this.known), params: inOrder(names, params).map(encoded) };
  }
}

/** Parameters come in order, as one list, or by name in one object. */
function inOrder(names: string[] | null, params: unknown[]): unknown[] {
  const [first] = params;
  if (names) return names.map((name) => (first as Record<string, unknown>)[name]);
  return Array.isArray(first) ? first : params;
}
