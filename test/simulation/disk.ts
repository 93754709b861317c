/** The disk under one database file: it can be full, slow, and what is on it survives the end of the process. */
import type { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, sqliteClient } from "../../src/platform/storage/open.ts";
import { StoredFile } from "./rows.ts";

/** The process ends here: what is in memory is gone. */
export class Killed extends Error {}

/** Where files cost least: nothing here is about the machine's own disk. */
function temporaryFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "muster-simulation-"));
}

/** Which commit ends the process, and on which side of it. */
export interface Kill {
  /** Commits until then. */
  commits: number;
  isDurable: boolean;
}

const UNLIMITED = 0xffff_fffe;

/** Statements that are kept; hundreds of different ones are used in one run. */
const MAX_STATEMENTS = 1000;

/** Prepares each statement once, as one that is written out anew at each use costs far more than it does. */
function rememberStatements(client: Database): void {
  const prepare = client.prepare.bind(client);
  const known = new Map<string, ReturnType<typeof prepare>>();
  client.prepare = ((sql: string) => {
    const statement = known.get(sql) ?? prepare(sql);
    if (known.size < MAX_STATEMENTS) known.set(sql, statement);
    return statement;
  }) as never;
}

export class Disk {
  readonly #folder = temporaryFolder();
  #generation = 0;
  #client: Database | null = null;
  #kill: Kill | null = null;
  /** How the process ended; null while it runs. */
  killed: { isDurable: boolean } | null = null;
  /** Seconds that a commit takes. */
  delay = 0;

  /** @param pass lets time pass, seconds */
  constructor(private readonly pass: (seconds: number) => void) {}

  get file(): string {
    return join(this.#folder, `muster-${this.#generation}.db`);
  }

  /** Takes over a connection: from now on its commits may be slow, fail, or be the last. */
  attach(db: Db): void {
    const client = sqliteClient(db);
    this.#client = client;
    this.killed = null;
    this.#kill = null;
    // The machine itself does not lose its power here: waiting for it would be for nothing.
    client.run("PRAGMA synchronous = OFF");
    // Nobody else has the file: without locks a look at a row takes no call of the system.
    client.run("PRAGMA locking_mode = EXCLUSIVE");
    rememberStatements(client);
    const begin = client.transaction.bind(client) as typeof client.transaction;
    let depth = 0;
    client.transaction = ((work: (...given: never[]) => unknown) => {
      const guarded = (...given: never[]) => {
        depth++;
        try {
          const result = work(...given);
          if (depth === 1 && this.#isLast() && this.#kill?.isDurable === false) this.#end(false);
          return result;
        } finally {
          depth--;
        }
      };
      const original = begin(guarded);
      const run =
        (how: "immediate" | "deferred") =>
        (...given: never[]) => {
          if (this.killed && this.#client === client) throw new Killed();
          const isOuter = depth === 0;
          const result = original[how](...given);
          if (isOuter && this.#isLast()) this.#end(true);
          if (isOuter && this.#kill) this.#kill.commits--;
          if (isOuter && this.delay > 0 && how === "immediate") this.pass(this.delay);
          return result;
        };
      return { immediate: run("immediate"), deferred: run("deferred") };
    }) as never;
  }

  #isLast(): boolean {
    return this.#kill !== null && this.#kill.commits <= 0 && !this.killed;
  }

  /** The process is to end at a commit soon; null: it is not. */
  plan(kill: Kill | null): void {
    this.#kill = kill;
  }

  /** Does something that no planned end of the process interrupts, and that takes no time. */
  async spare(work: () => Promise<void>): Promise<void> {
    const [kill, delay] = [this.#kill, this.delay];
    this.#kill = null;
    // A clock that was set forward makes the disk still slow here at a time at which it no longer should be.
    this.delay = 0;
    await work();
    this.delay = delay;
    this.#kill = kill;
  }

  /** The process ends now. What it still does is done to files that nobody reads again. */
  cut(): void {
    if (this.killed) return;
    this.killed = { isDurable: true };
    this.#keep();
  }

  #end(isDurable: boolean): never {
    this.killed = { isDurable };
    this.#keep();
    throw new Killed();
  }

  /** What the process left is the database of the next. */
  #keep(): void {
    const before = this.file;
    this.#generation++;
    for (const suffix of ["", "-wal"])
      if (existsSync(before + suffix)) cpSync(before + suffix, this.file + suffix);
  }

  /** No page is left beyond those that the file has, and `spare` more. */
  fill(spare: number): void {
    // Pages that the file has and does not use would do for a long time.
    this.#client?.run("PRAGMA incremental_vacuum");
    const row = this.#client?.query("PRAGMA page_count").get() as { page_count: number } | null;
    this.#limit((row?.page_count ?? 0) + spare);
  }

  /** There is space again. */
  free(): void {
    this.#limit(UNLIMITED);
  }

  #limit(pages: number): void {
    this.#client?.query(`PRAGMA max_page_count = ${pages}`).get();
  }

  /** What the process left, to look at. */
  read(): StoredFile {
    return new StoredFile(this.file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
