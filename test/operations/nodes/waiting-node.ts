/** A node of a cluster in this process: how it opens the shared database, and what it logs. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServiceDatabase } from "../../../src/operations/nodes/open-service-database.ts";
import type { ServiceDatabase } from "../../../src/operations/nodes/service-database.types.ts";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { createLog } from "../../../src/platform/log.ts";
import { keepFirstKey } from "../../../src/platform/secrets/key-file.ts";
import { dataFolder, makeDataFolder } from "../../../src/platform/storage/data-folder.ts";
import { freePort } from "../../e2e/support.ts";

export interface NodeOptions {
  name: string;
  /** Folder of the test; the data folder in it has the name of the node. */
  cwd: string;
  /** Address of the database. */
  url: string;
  /** Name of its data folder, if that is not its own. */
  data?: string;
  /** Folder of its migrations, for another version than this one. */
  migrations?: string;
}

export class WaitingNode implements AsyncDisposable {
  readonly port = freePort();
  readonly lines: string[] = [];
  /** Settled when it is active, was stopped (null), or cannot start. */
  readonly opened: Promise<ServiceDatabase | null>;
  readonly key: string;
  readonly #stop = new AbortController();

  constructor({ name, cwd, url, data = name, migrations }: NodeOptions) {
    const flags = new Map([
      ["--listen", `127.0.0.1:${this.port}`],
      ["--node", name],
    ]);
    const config = readConfig(flags, { MUSTER_DATABASE: url });
    const folder = dataFolder(join(cwd, data), migrations);
    makeDataFolder(folder);
    this.key = folder.key;
    const log = createLog((line) => this.lines.push(line));
    this.opened = openServiceDatabase(folder, { config, log, stop: this.#stop.signal });
    // A test may read it later.
    this.opened.catch(() => undefined);
  }

  get output(): string {
    return this.lines.join("\n");
  }

  /** Its answer while it does not serve. */
  async answer(path = "/healthz", headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, { headers: { ...headers, Connection: "close" } });
  }

  /** The database, once this node is the active one. */
  async active(): Promise<ServiceDatabase> {
    const opened = await this.opened;
    if (!opened) throw new Error("the node was stopped");
    return opened;
  }

  /** As after the first start: something is sealed, and the key has its name. */
  async setUp(): Promise<ServiceDatabase> {
    const opened = await this.active();
    const sealed = opened.box.seal("password of the collector");
    opened.db.$client.run("insert into settings (key, value) values ('collectorpassword', ?)", [sealed]);
    keepFirstKey(this.key);
    return opened;
  }

  /** Gives this node's key to another one that has yet to start. */
  lendKey(cwd: string, data: string): void {
    mkdirSync(join(cwd, data), { recursive: true, mode: 0o700 });
    cpSync(this.key, join(cwd, data, "secret.key"));
  }

  /** Stops it, if it is not active, and otherwise closes its database. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const opened = await this.opened.catch(() => null);
    opened?.close();
  }
}

/** The migrations of a version after this one: those of this one, and another that consists of `statements`. */
export function laterMigrations(cwd: string, statements: readonly string[]): string {
  const folder = join(cwd, "later");
  cpSync(migrationsFolder(), folder, { recursive: true });
  const journal = join(folder, "postgres/meta/_journal.json");
  const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
  const last = entries.at(-1);
  const added = { ...last, idx: last.idx + 1, when: last.when + 1, tag: "9999_later" };
  writeFileSync(journal, JSON.stringify({ ...rest, entries: [...entries, added] }));
  writeFileSync(join(folder, "postgres/9999_later.sql"), statements.join("\n--> statement-breakpoint\n"));
  return folder;
}
