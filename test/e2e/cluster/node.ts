/** A Muster of the cluster, started again whenever it ends, as a service manager does. */
import { cpSync, existsSync, mkdirSync } from "node:fs";
import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import { EXECUTABLE, freePort, neutralEnvironment, PASSWORDS } from "../support.ts";
import type { PostgresPair } from "./postgres-pair.ts";
import { StallingProxy } from "./stalling-proxy.ts";

/** Pause before it is started again, milliseconds. */
const RESTART_MS = 500;

export interface NodeOptions {
  name: string;
  /** Folder of the test. */
  cwd: string;
  pair: PostgresPair;
  /** Node whose key it gets; null for the first one, which creates it. */
  keyOf: ClusterNode | null;
}

export class ClusterNode implements AsyncDisposable {
  readonly port = freePort();
  /** The output of its processes. */
  output = "";
  /** Exit codes of its processes that ended by themselves. */
  readonly exits: number[] = [];
  #child: Bun.Subprocess | null = null;
  #isOver = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(
    readonly name: string,
    private readonly cwd: string,
    /** Its ways to the two database servers, and the balancer's way to it. */
    readonly toServers: readonly [StallingProxy, StallingProxy],
    readonly front: StallingProxy,
  ) {}

  static async start({ name, cwd, pair, keyOf }: NodeOptions): Promise<ClusterNode> {
    const toServer = (i: 0 | 1) =>
      StallingProxy.start(() => ({ path: pair.servers[i].socket }) as NetConnectOpts);
    const ports = { own: 0 };
    const front = await StallingProxy.start(() => ({ host: "127.0.0.1", port: ports.own }));
    const node = new ClusterNode(name, cwd, [await toServer(0), await toServer(1)], front);
    ports.own = node.port;
    if (keyOf) node.#takeKeyOf(keyOf);
    node.#running = node.#run();
    return node;
  }

  async #run(): Promise<void> {
    const [first, second] = this.toServers.map(({ port }) => `127.0.0.1:${port}`);
    const data = join(this.cwd, this.name);
    const command = [EXECUTABLE, "serve", "--data", data, "--listen", `127.0.0.1:${this.port}`];
    command.push("--node", this.name, "--trusted-proxy", "127.0.0.1", "--channel-reach", "loopback");
    while (!this.#isOver) {
      const child = Bun.spawn(command, {
        cwd: this.cwd,
        env: {
          ...neutralEnvironment(this.cwd),
          ...PASSWORDS,
          MUSTER_DATABASE: `postgres://postgres@${first},${second}/muster?sslmode=disable`,
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      this.#child = child;
      await Promise.all([child.stdout, child.stderr].map((stream) => this.#collect(stream)));
      await child.exited;
      if (child.exitCode !== null) this.exits.push(child.exitCode);
      if (!this.#isOver) await Bun.sleep(RESTART_MS);
    }
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) this.output += decoder.decode(chunk, { stream: true });
  }

  #takeKeyOf(other: ClusterNode): void {
    const [from, to] = [other, this].map(({ name }) => join(this.cwd, name));
    mkdirSync(to ?? "", { mode: 0o700, recursive: true });
    cpSync(join(from ?? "", "secret.key"), join(to ?? "", "secret.key"));
  }

  get hasKey(): boolean {
    return existsSync(join(this.cwd, this.name, "secret.key"));
  }

  async isActive(): Promise<boolean> {
    const health = fetch(`http://127.0.0.1:${this.port}/healthz`, { signal: AbortSignal.timeout(1000) });
    return (await health.catch(() => null))?.status === 200;
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  cutOff(): void {
    for (const proxy of [this.front, ...this.toServers]) proxy.stall();
  }

  heal(): void {
    for (const proxy of [this.front, ...this.toServers]) proxy.heal();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.signal("SIGKILL");
    await this.#running;
    for (const proxy of [this.front, ...this.toServers]) proxy[Symbol.dispose]();
  }
}
