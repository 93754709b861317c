/** The statements of a transaction that wait for the next one that has a reader, or for the commit. */
import type { PostgresStatementCall } from "./protocol.ts";

/** Most statements, and most rows, that wait: bounds the memory of a large transaction. */
const MAX_STATEMENTS = 500;
const MAX_ROWS = 5000;

/** A statement that takes a list of values for each of its columns, and so any number of rows. */
export interface RowsStatement {
  text: string;
  name: string | null;
  /** The statements whose rows have to be there before rows of this one. */
  after: readonly string[];
}

export class StatementQueue {
  #calls: PostgresStatementCall[] = [];
  /** Where a statement that further rows can join is among the calls, by its text. */
  readonly #open = new Map<string, number>();
  #rows = 0;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  get isFull(): boolean {
    return this.#calls.length >= MAX_STATEMENTS || this.#rows >= MAX_ROWS;
  }

  add(call: PostgresStatementCall): void {
    this.#calls.push(call);
  }

  /** Adds a row to the same statement if that waits already, ahead of what was added since. */
  addRow({ text, name, after }: RowsStatement, row: readonly unknown[]): void {
    this.#rows++;
    const placeOf = (other: string) => this.#open.get(other) ?? -1;
    const place = placeOf(text);
    const earliest = Math.max(-1, ...after.map(placeOf));
    const lists = place > earliest ? this.#calls[place]?.params : undefined;
    if (lists) for (const [i, value] of row.entries()) (lists[i] as unknown[]).push(value);
    else {
      this.#open.set(text, this.#calls.length);
      this.#calls.push({ text, name, params: row.map((value) => [value]) });
    }
  }

  /** Keeps further rows from going ahead of what waits now. */
  seal(): void {
    this.#open.clear();
  }

  /** Empties the queue. @returns what waited, in order */
  take(): PostgresStatementCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#rows = 0;
    this.seal();
    return calls;
  }
}
