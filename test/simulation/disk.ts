/** The disk under one database file. It can be full or slow, and its contents survive the end of the process. */
import type { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, sqliteClient } from "../../src/platform/storage/open.ts";
import { StoredFile } from "./rows.ts";

/** Thrown where the process ends: everything in memory is lost. */
export class Killed extends Error {}

/** The cheapest place for files: the machine's own disk is not under test. */
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

/** Number of prepared statements to keep. One run uses hundreds of different ones. */
const MAX_STATEMENTS = 1000;

/** Prepares each statement only once, since preparing one costs far more than running it. */
function rememberStatements(client: Database): void {
  const prepare = client.prepare.bind(client);
  const statements = new Map<string, ReturnType<typeof prepare>>();
  client.prepare = ((sql: string) => {
    const statement = statements.get(sql) ?? prepare(sql);
    if (statements.size < MAX_STATEMENTS) statements.set(sql, statement);
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

  /** Takes over a connection: from now on its commits may be slow, fail, or end the process. */
  attach(db: Db): void {
    const client = sqliteClient(db);
    this.#client = client;
    this.killed = null;
    this.#kill = null;
    // The machine does not lose power here, so waiting for its disk would gain nothing.
    client.run("PRAGMA synchronous = OFF");
    // Nobody else opens the file. Without locks, reading a row needs no system call.
    client.run("PRAGMA locking_mode = EXCLUSIVE");
    rememberStatements(client);
    const begin = client.transaction.bind(client) as typeof client.transaction;
    let depth = 0;
    client.transaction = ((work: (...args: never[]) => unknown) => {
      const guarded = (...args: never[]) => {
        depth++;
        try {
          const result = work(...args);
          if (depth === 1 && this.#isLast() && this.#kill?.isDurable === false) this.#end(false);
          return result;
        } finally {
          depth--;
        }
      };
      const original = begin(guarded);
      const run =
        (how: "immediate" | "deferred") =>
        (...args: never[]) => {
          if (this.killed && this.#client === client) throw new Killed();
          const isOuter = depth === 0;
          const result = original[how](...args);
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

  /** The commit at which the process will end; null if none is planned. */
  plan(kill: Kill | null): void {
    this.#kill = kill;
  }

  /** Runs an action that takes no time and that no planned end of the process interrupts. */
  async spare(work: () => Promise<void>): Promise<void> {
    const [kill, delay] = [this.#kill, this.delay];
    this.#kill = null;
    // After the clock was set forward, the disk can still be slow at a time when it should not be.
    this.delay = 0;
    await work();
    this.delay = delay;
    this.#kill = kill;
  }

  /** Ends the process now. Anything it still writes goes to files that nobody reads again. */
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

  /** Makes the files of the process the database of the next one. */
  #keep(): void {
    const before = this.file;
    this.#generation++;
    for (const suffix of ["", "-wal"])
      if (existsSync(before + suffix)) cpSync(before + suffix, this.file + suffix);
  }

  /** Leaves no space beyond the pages of the file and `spare` more. */
  fill(spare: number): void {
    // Unused pages within the file would last for a long time.
    this.#client?.run("PRAGMA incremental_vacuum");
    const row = this.#client?.query("PRAGMA page_count").get() as { page_count: number } | null;
    this.#limit((row?.page_count ?? 0) + spare);
  }

  /** Frees the space again. */
  free(): void {
    this.#limit(UNLIMITED);
  }

  #limit(pages: number): void {
    this.#client?.query(`PRAGMA max_page_count = ${pages}`).get();
  }

  /** Opens what the process left, for inspection. */
  read(): StoredFile {
    return new StoredFile(this.file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
