/** A throw-away PostgreSQL server from this machine's packages, on a unix socket. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { asPostgresUser, pathOf, TOOLS_PATH } from "../../scripts/test-tools.ts";
import type { PostgresOptions } from "../../src/platform/storage/postgres/options.ts";

const PORT = 5432;
/** No machine takes that long to start it. */
const START_LIMIT_MS = 240_000;
/** Memory rather than a disk, where there is such a folder. */
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** Beside what is built, and removed with it. Not in `node_modules`, which tests copy. */
const KEPT = join(import.meta.dir, "../../dist/test-data");
/** A power failure may cost the data of a test. */
const CARELESS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"];

/** User and group of a program's folder that PostgreSQL made when it was started by root. */
function giveToItsUser(path: string): void {
  if (process.getuid?.() !== 0) return;
  const home = statSync("/var/lib/postgresql");
  chownSync(path, home.uid, home.gid);
}

/** Runs a program to its end. @throws if it fails */
function runToEnd(command: string[], cwd: string): void {
  const env = { PATH: TOOLS_PATH, LANG: "C.UTF-8" };
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
}

/** Where a data folder is kept that this program made for this user: to copy it costs a tenth of making another. */
function pathOfKept(initdb: string): string {
  const { mtimeMs, size } = statSync(initdb);
  return join(KEPT, ["data", process.getuid?.(), Math.round(mtimeMs), size].join("-"));
}

/** Makes the data folder of a new server. Its parent belongs to the user of the server. */
function makeData(path: string): void {
  const initdb = pathOf("initdb");
  const kept = pathOfKept(initdb);
  const folder = dirname(path);
  if (existsSync(kept)) {
    runToEnd(["cp", "-a", kept, path], folder);
    return;
  }
  runToEnd(asPostgresUser([initdb, "-D", path, "-U", "postgres", "-A", "trust", "--no-sync"]), folder);
  mkdirSync(KEPT, { recursive: true });
  const copy = mkdtempSync(join(KEPT, "copy-"));
  try {
    runToEnd(["cp", "-a", path, join(copy, "data")], folder);
    renameSync(join(copy, "data"), kept);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/**
 * Ends the server and removes its folder when its standard input ends, which is when its test ends for any reason. It
 * is not a child of the test's process and has a session of its own, so it outlives whatever kills those.
 */
const GUARD =
  '"$@" 2> "$FOLDER/log" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; rm -rf "$FOLDER"';

export class PostgresServer {
  #guard: Bun.Subprocess<"pipe", "ignore", "ignore"> | null = null;

  private constructor(readonly folder: string) {}

  static #make(parent = FOLDER): PostgresServer {
    const folder = mkdtempSync(join(parent, "muster-postgres-"));
    chmodSync(folder, 0o755);
    giveToItsUser(folder);
    return new PostgresServer(folder);
  }

  /** @param parent where its folder is */
  static async start(settings: readonly string[] = CARELESS, parent = FOLDER): Promise<PostgresServer> {
    const server = PostgresServer.#make(parent);
    const { folder } = server;
    makeData(join(folder, "data"));
    await server.run(settings);
    return server;
  }

  /** A server that follows another, with fsync. It can be promoted, and then waits for no standby. */
  static async standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    const server = PostgresServer.#make();
    const data = join(server.folder, "data");
    const from = ["-h", primary.folder, "-p", String(PORT), "-U", "postgres"];
    const copy = [pathOf("pg_basebackup"), ...from, "-D", data, "-R", "-X", "stream", "-c", "fast", "-N"];
    const child = Bun.spawn(asPostgresUser(copy), {
      cwd: server.folder,
      env: { PATH: TOOLS_PATH, LANG: "C.UTF-8" },
      stdout: "ignore",
      stderr: "pipe",
    });
    if ((await child.exited) !== 0)
      throw new Error(`pg_basebackup failed: ${await new Response(child.stderr).text()}`);
    const autoConf = join(data, "postgresql.auto.conf");
    const lines = readFileSync(autoConf, "utf8").split("\n");
    writeFileSync(autoConf, lines.filter((line) => !line.startsWith("synchronous_standby_names")).join("\n"));
    await server.run(["cluster_name=peer"]);
    return server;
  }

  /** Runs the server on its folder, until it is stopped. */
  async run(settings: readonly string[] = CARELESS): Promise<void> {
    const options = [
      `unix_socket_directories=${this.folder}`,
      "listen_addresses=",
      `port=${PORT}`,
      // In its folder. Other kinds outlive a server that is killed.
      "dynamic_shared_memory_type=mmap",
      ...settings,
    ];
    const command = [
      pathOf("postgres"),
      "-D",
      join(this.folder, "data"),
      ...options.flatMap((each) => ["-c", each]),
    ];
    this.#guard = Bun.spawn(
      ["setsid", "--fork", "--wait", "sh", "-c", GUARD, "sh", ...asPostgresUser(command)],
      {
        cwd: "/",
        env: { ...process.env, FOLDER: this.folder },
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore",
      },
    );
    for (const end = performance.now() + START_LIMIT_MS; performance.now() < end; ) {
      const probe = Bun.spawn([pathOf("pg_isready"), "-q", "-h", this.folder, "-p", String(PORT)]);
      if ((await probe.exited) === 0) return;
      await Bun.sleep(50);
    }
    throw new Error(`PostgreSQL did not start: ${readFileSync(join(this.folder, "log"), "utf8")}`);
  }

  /** How Muster reaches a database of this server. */
  options(database: string): PostgresOptions {
    return {
      hosts: [{ host: this.folder, port: PORT }],
      database,
      user: "postgres",
      password: null,
      applicationName: "muster tests",
      connectMs: 4000,
      tls: { mode: "disable", ca: null, cert: null, key: null },
      looksUp: true,
    };
  }

  url(database: string): string {
    return `postgres://postgres@/${database}?host=${this.folder}`;
  }

  #psql(database: string, ...more: string[]): string[] {
    const connection = ["-h", this.folder, "-p", String(PORT), "-U", "postgres", "-d", database];
    return [pathOf("psql"), ...connection, ...more];
  }

  /** Runs statements as the administrator of the server. @returns the rows, one a line, columns with | between */
  query(sql: string, database = "postgres"): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(this.#psql(database, "-qAtc", sql));
    if (exitCode !== 0) throw new Error(`${stderr}`);
    return stdout.toString().trim();
  }

  /** Like `query`, but this process goes on meanwhile: it may be the network or the agents of the test. */
  async ask(sql: string, database = "postgres"): Promise<string> {
    const child = Bun.spawn(this.#psql(database, "-qAtc", sql), { stdout: "pipe", stderr: "pipe" });
    const [rows, trouble] = await Promise.all(
      [child.stdout, child.stderr].map((end) => new Response(end).text()),
    );
    if ((await child.exited) !== 0) throw new Error(trouble);
    return rows?.trim() ?? "";
  }

  /** Makes a node active on a database, as far as the lease says, until it is ended. */
  async activeNode(name: string, database: string): Promise<AsyncDisposable> {
    const child = Bun.spawn(this.#psql(database, "-qAt"), { stdin: "pipe", stdout: "ignore" });
    // It ends with the server, and so with the test.
    child.stdin.write(
      `update muster_lease set node = '${name}', until = clock_timestamp() + interval '15 seconds' \\watch 0.5\n`,
    );
    child.stdin.flush();
    while ((await this.ask(`select node from muster_lease where until > now()`, database)) !== name)
      await Bun.sleep(20);
    return {
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await child.exited;
        this.query("update muster_lease set until = '-infinity'", database);
      },
    };
  }

  /**
   * Lets commits wait for a standby of this name. Resolves when they do: the server takes the setting over some time
   * after it was changed, and until then a commit waits for nobody.
   */
  async waitForStandby(name: string): Promise<void> {
    await this.setStandbyNames(name);
    const probe = "application_name = 'probe of the standby'";
    const waiting = `from pg_stat_activity where ${probe} and wait_event = 'SyncRep'`;
    const commit = `set ${probe}; set synchronous_commit = on; select pg_logical_emit_message(true, '', '')`;
    for (let isWaitedFor = false; !isWaitedFor; ) {
      const words = commit.split("; ").flatMap((statement) => ["-c", statement]);
      const child = Bun.spawn(this.#psql("postgres", "-q", ...words), { stdout: "ignore", stderr: "ignore" });
      while (!isWaitedFor && child.exitCode === null) {
        isWaitedFor = (await this.ask(`select pg_cancel_backend(pid) ${waiting}`)) !== "";
        await Bun.sleep(10);
      }
      await child.exited;
    }
  }

  /** Sets for which standbys commits wait; none if the text is empty. The server takes the setting over later. */
  async setStandbyNames(names: string): Promise<void> {
    await this.ask(`alter system set synchronous_standby_names = '${names}'`);
    await this.ask("select pg_reload_conf()");
  }

  /** Path of its unix socket. */
  get socket(): string {
    return join(this.folder, `.s.PGSQL.${PORT}`);
  }

  /** The process of the server itself and those of its sessions. */
  #pids(): number[] {
    const master = Number.parseInt(readFileSync(join(this.folder, "data/postmaster.pid"), "utf8"), 10);
    const children = readFileSync(`/proc/${master}/task/${master}/children`, "utf8").trim();
    return [master, ...children.split(" ").filter(Boolean).map(Number)];
  }

  /** Kills it with all its sessions, like a machine that loses power. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    // A session that ends meanwhile cannot be signalled.
    Bun.spawnSync(["kill", `-${signal.slice(3)}`, ...this.#pids().map(String)], { stderr: "ignore" });
  }

  /** CPU seconds of all its processes, also of those that ended. */
  get cpu(): number {
    return this.#pids()
      .map((pid, i) => {
        const times = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
        // utime and stime, of the server itself also those of children that ended; in ticks of 10 ms.
        return times.slice(11, i === 0 ? 15 : 13).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
      })
      .reduce((sum, each) => sum + each, 0);
  }

  /** Makes it hang: it keeps its connections and answers nothing. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Ends it at once, like a crash. It can `run` again on its data. */
  async stop(): Promise<void> {
    const [master = 0] = this.#pids();
    process.kill(master, "SIGQUIT");
    while (existsSync(join(this.folder, "data/postmaster.pid"))) await Bun.sleep(20);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard?.stdin.end();
    await this.#guard?.exited;
  }
}
