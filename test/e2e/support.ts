/** Shared by the end-to-end tests: the delivered executable, run as an administrator runs it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT } from "../../scripts/test-limit.ts";
import type { AgentXml } from "../support/agent-messages.ts";
import { TestClient } from "../support/client.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/passwords.ts";

/** As `make build` leaves it, unless benchmarks measure another. */
export const EXECUTABLE = process.env.MUSTER_BENCH_EXECUTABLE ?? join(import.meta.dir, "../../dist/muster");

/** Milliseconds after which any wait is given up: less than `TEST_LIMIT`, so that a failure names what was awaited. */
export const PATIENCE = 0.75 * TEST_LIMIT;

/** A new folder. Remove it with `using`, or by calling `remove`. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "muster-test-"));
  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, remove, [Symbol.dispose]: remove };
}

/**
 * Pauses between two questions of `eventually`, milliseconds: from short ones to one that costs little. After a question
 * that takes long, since it starts a program or reads a page, that is this many times as long, within bounds.
 */
const PAUSE = { first: 5, growth: 1.5, times: 10, longest: { least: 100, most: 500 } };

/**
 * Asks repeatedly until there is an answer.
 * @param ask returns null, undefined or false while there is none; an error counts as that
 * @throws with the description and the last error when the time is over
 */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
): Promise<Exclude<Awaited<T>, null | undefined | false>> {
  const deadline = performance.now() + PATIENCE;
  let trouble: unknown;
  let pause = PAUSE.first;
  do {
    const askedAt = performance.now();
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false)
        return answer as Exclude<Awaited<T>, null | undefined | false>;
    } catch (error) {
      trouble = error;
    }
    const { least, most } = PAUSE.longest;
    const longest = Math.min(most, Math.max(least, PAUSE.times * (performance.now() - askedAt)));
    await Bun.sleep(pause);
    pause = Math.min(longest, pause * PAUSE.growth);
  } while (performance.now() < deadline);
  throw new Error(`did not happen within ${PATIENCE} ms: ${what}`, { cause: trouble });
}

/**
 * The system assigns higher ports to any process, even between two uses of one that a test chose. Browsers open no page at
 * port 10080, and refuse none above it.
 */
const PORTS = { first: 10_100, last: 32_000 };

/** How many of them a process of tests has for itself, and how many processes that is enough for. */
const PORTS_OF_PROCESS = 64;
const BLOCKS = Math.floor((PORTS.last - PORTS.first) / PORTS_OF_PROCESS);
/** Keeps the block of this process. */
let reservation: Bun.UnixSocketListener<undefined> | undefined;
let firstPort = 0;
let portsChosen = 0;

/** @returns what `listen` returns, or null if the address is in use */
function unlessInUse<T>(listen: () => T): T | null {
  try {
    return listen();
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    return null;
  }
}

const IGNORED = { data: () => undefined };

/**
 * Reserves ports for this process alone, by a socket with a name of the block: the system releases it when the process
 * ends, however it ends.
 */
function reservePorts(): void {
  for (let i = 0; i < BLOCKS && !reservation; i++) {
    const block = (process.pid + i) % BLOCKS;
    const unix = `\0muster-test-ports-${block}`;
    reservation = unlessInUse(() => Bun.listen({ unix, data: undefined, socket: IGNORED })) ?? undefined;
    firstPort = PORTS.first + block * PORTS_OF_PROCESS;
  }
  if (!reservation) throw new Error("too many processes of tests run at once");
  reservation.unref();
}

/** A TCP port that was free a moment ago, and that neither the system nor another test assigns to a process. */
export function freePort(): number {
  if (!reservation) reservePorts();
  for (;;) {
    const port = firstPort + (portsChosen++ % PORTS_OF_PROCESS);
    const listener = unlessInUse(() => Bun.listen({ hostname: "127.0.0.1", port, socket: IGNORED }));
    listener?.stop(true);
    if (listener) return port;
  }
}

/** Nothing of the environment of the user who runs the tests. @param home also the place of the temporary files */
export function neutralEnvironment(home: string): Record<string, string> {
  return { PATH: "/usr/bin:/bin", HOME: home, TMPDIR: home, LANG: "C.UTF-8" };
}

export interface RunOptions {
  /** Folder it runs in, and its home. */
  cwd: string;
  executable?: string;
  /** On top of a neutral environment. */
  env?: Record<string, string>;
}

/** Runs the executable to its end. @param patience milliseconds after which it is killed */
export async function run(
  args: string[],
  { cwd, executable = EXECUTABLE, env = {}, patience = PATIENCE }: RunOptions & { patience?: number },
) {
  const child = Bun.spawn([executable, ...args], {
    cwd,
    env: { ...neutralEnvironment(cwd), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: patience,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

export interface StartOptions extends RunOptions {
  /** Data folder, taken from `cwd`. */
  data?: string;
  /** A free one by default. */
  port?: number;
  /** Instead of one address on loopback. */
  listen?: string;
  args?: string[];
}

/** The passwords of a first start. */
export const PASSWORDS = {
  MUSTER_ADMIN_PASSWORD: ADMIN_PASSWORD,
  MUSTER_COLLECTOR_PASSWORD: COLLECTOR_PASSWORD,
};

/** A running Muster; `await using` kills it at the end of the test. */
export class Muster implements AsyncDisposable {
  /** Its output so far. */
  output = "";
  /** Origin, without a slash at its end. */
  url = "";

  private constructor(private readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
    for (const stream of [child.stdout, child.stderr]) void this.#collect(stream);
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.output += decoder.decode(chunk, { stream: true });
  }

  /** Resolves when it listens. @throws with its output when it ends before that */
  static async start(options: StartOptions): Promise<Muster> {
    const {
      cwd,
      data = "data",
      port = freePort(),
      executable = EXECUTABLE,
      env = PASSWORDS,
      args = [],
    } = options;
    const { listen = `127.0.0.1:${port}` } = options;
    const command = [executable, "serve", "--data", data, "--listen", listen, ...args];
    const muster = new Muster(
      Bun.spawn(command, {
        cwd,
        env: { ...neutralEnvironment(cwd), ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      }),
    );
    await eventually("Muster listens or ends", () => {
      muster.url = /listening .*url=(\S+)\//.exec(muster.output)?.[1] ?? "";
      return muster.url !== "" || muster.child.exitCode !== null;
    });
    if (muster.url !== "") return muster;
    await muster.kill();
    throw new Error(`Muster does not start: ${muster.output}`);
  }

  get pid(): number {
    return this.child.pid;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** A client that is not signed in. */
  client(): TestClient {
    return new TestClient((request) => fetch(request, { redirect: "manual" }), this.url);
  }

  admin(): Promise<TestClient> {
    return this.client().signIn("admin", ADMIN_PASSWORD);
  }

  /** Posts a message as an agent does. A host that reports once does not fall silent, however slow the machine is. */
  report(message: AgentXml | string): Promise<Response> {
    const hourly = typeof message === "string" ? message : { poll: 3600, ...message };
    return this.client().report(hourly, COLLECTOR_PASSWORD);
  }

  /** Tells it to stop. @returns the exit code; null when it did not stop and had to be killed */
  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    const killing = setTimeout(() => this.child.kill("SIGKILL"), PATIENCE);
    await this.child.exited;
    clearTimeout(killing);
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.child.exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
