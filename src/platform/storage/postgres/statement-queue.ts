/** The statements of a transaction that wait for the next one with a reader, or for the commit. */
import type { PostgresStatementCall } from "./driver-protocol.ts";

/** The most statements, and the most rows, that wait. They bound the memory of a large transaction. */
const MAX_STATEMENTS = 500;
const MAX_ROWS = 5000;

/** A statement that takes a list of values for each of its parameters, and so any number of rows. */
type RowsStatement = Pick<PostgresStatementCall, "text" | "name">;

/** A queue of statements. It does not run them: the caller takes them when it is full. */
export class StatementQueue {
  #calls: PostgresStatementCall[] = [];
  /** The position among the calls of a statement that further rows can join, by its text. */
  readonly #joinable = new Map<string, number>();
  /** The position among the calls of the newest row about a host. */
  readonly #newest = new Map<number, number>();
  #rows = 0;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  get isFull(): boolean {
    return this.#calls.length >= MAX_STATEMENTS || this.#rows >= MAX_ROWS;
  }

  /** Adds a statement that keeps its position among all others. */
  add(call: PostgresStatementCall): void {
    this.#forgetPlaces();
    this.#calls.push(call);
  }

  /**
   * Adds a row. If the same statement is waiting already, the row joins it, ahead of later calls, but never ahead of
   * rows about the same host.
   * @param about id of the host; null if the order of such rows never matters
   */
  addRow({ text, name }: RowsStatement, row: readonly unknown[], about: number | null): void {
    this.#rows++;
    let place = this.#joinable.get(text) ?? -1;
    const lists = this.#calls[place]?.params;
    if (lists && (about === null || place >= (this.#newest.get(about) ?? -1)))
      for (const [i, value] of row.entries()) (lists[i] as unknown[]).push(value);
    else {
      place = this.#calls.length;
      this.#joinable.set(text, place);
      this.#calls.push({ text, name, params: row.map((value) => [value]) });
    }
    if (about !== null) this.#newest.set(about, place);
  }

  /** Empties the queue. @returns the waiting calls, in order */
  take(): PostgresStatementCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#rows = 0;
    this.#forgetPlaces();
    return calls;
  }

  #forgetPlaces(): void {
    this.#joinable.clear();
    this.#newest.clear();
  }
}
