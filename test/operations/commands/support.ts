/** A data folder as a service leaves it, and commands run on it. */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { StartupError } from "../../../src/platform/startup-error.ts";
import { type DataFolder, dataFolder } from "../../../src/platform/storage/data-folder.ts";
import { TestApp } from "../../support/app.ts";

/** The key of every test's database. */
const KEY = Buffer.alloc(32, 7).toString("hex");

export interface Outcome {
  code: number;
  out: string[];
  err: string[];
}

export class CommandFolder {
  readonly path = mkdtempSync(join(tmpdir(), "muster-commands-"));
  readonly folder: DataFolder = dataFolder(join(this.path, "data"));

  /** Stores what the app knows, and its key. */
  fill(app: TestApp = new TestApp()): this {
    mkdirSync(this.folder.path, { recursive: true, mode: 0o700 });
    app.db.$client.query("VACUUM INTO ?").run(this.folder.database);
    writeFileSync(this.folder.key, `${KEY}\n`, { mode: 0o600 });
    return this;
  }

  /** Whether nothing that a command prints can be written. */
  isOutputFull = false;

  /**
   * Runs a command on the folder.
   * @param typed the input when a secret is requested
   * @param progress receives the lines that a terminal shows temporarily
   */
  async run(
    command: string,
    typed?: string,
    env: Record<string, string> = {},
    progress?: (line: string) => void,
  ): Promise<Outcome> {
    const outcome: Outcome = { code: -1, out: [], err: [] };
    outcome.code = await runCommand(COMMANDS, [...command.split(" "), "--data", this.folder.path], env, {
      ...(progress && { progress }),
      print: (line) => {
        if (this.isOutputFull) throw new StartupError("the output cannot be written");
        outcome.out.push(...line.split("\n"));
      },
      complain: (line) => outcome.err.push(line),
      readSecret: async () => {
        if (typed === undefined) throw new StartupError("nothing was typed");
        return typed;
      },
    });
    return outcome;
  }

  query<T = Record<string, unknown>>(sql: string, file = this.folder.database): T[] {
    const client = new Database(file);
    try {
      return client.query(sql).all() as T[];
    } finally {
      client.close();
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** All rows of all tables of a database file, to check that nothing changed. */
export function rowsOf(folder: CommandFolder, file = folder.folder.database): Record<string, unknown[]> {
  const tables = folder.query<{ name: string }>(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
    file,
  );
  return Object.fromEntries(
    tables.map(({ name }) => [name, folder.query(`select * from "${name}" order by 1, 2`, file)]),
  );
}
