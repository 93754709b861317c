import { realpathSync, statSync } from "node:fs";

/** Detects whether the open database files are still the ones that the next start would open. */
export class DatabaseFile {
  readonly #identities = new Map<string, string>();
  /** The write-ahead log. It is beside the file itself, even if `path` is a link to that. */
  readonly #log: string;

  /** @param path of a database that is already open */
  constructor(private readonly path: string) {
    this.#log = `${realpathSync(path)}-wal`;
    this.isInPlace();
  }

  /** False once the file or its log was deleted, moved or replaced: writes are then lost. */
  isInPlace(): boolean {
    // The log appears with the first transaction and exists as long as the database is open.
    return [this.path, this.#log].every((path) => {
      const now = identityOf(path);
      const before = this.#identities.get(path);
      if (before === undefined && now !== null) this.#identities.set(path, now);
      return before === undefined || before === now;
    });
  }
}

function identityOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : null;
}
