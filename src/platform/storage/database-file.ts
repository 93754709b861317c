import { statSync } from "node:fs";

/** The open files of a database: whether they are still those that a later start would open. */
export class DatabaseFile {
  readonly #identities = new Map<string, string>();

  /** @param path of a database that is open already */
  constructor(private readonly path: string) {
    this.isInPlace();
  }

  /** False once the file or its log was deleted, moved or replaced: what is stored then is lost with the next stop. */
  isInPlace(): boolean {
    // The log appears with the first transaction, and stays as long as the database is open.
    return [this.path, `${this.path}-wal`].every((path) => {
      const now = identityOf(path);
      const before = this.#identities.get(path);
      if (before === undefined && now !== null) this.#identities.set(path, now);
      return before === undefined || before === now;
    });
  }
}

function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
