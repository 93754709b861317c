import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** The results of long work so far, in a file of JSON lines, so that interrupted work can continue. */
export class Notes {
  readonly #answers = new Map<string, unknown>();

  constructor(private readonly file: string) {
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
      const { key, value } = JSON.parse(line) as { key: string; value: unknown };
      this.#answers.set(key, value);
    }
  }

  /** The answer to a question, from the file if it was asked before. */
  async answer<T>(key: string, find: () => Promise<T>): Promise<T> {
    if (this.#answers.has(key)) return this.#answers.get(key) as T;
    const value = await find();
    this.#answers.set(key, value);
    appendFileSync(this.file, `${JSON.stringify({ key, value })}\n`);
    return value;
  }
}
