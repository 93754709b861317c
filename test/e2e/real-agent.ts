/** The real Monit, run with a control file of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { pathOf } from "../../scripts/test-tools.ts";
import { eventually, freePort } from "./support.ts";

/** Seconds. */
export const CYCLE = 2;

export interface AgentOptions {
  /** Where it keeps its files. */
  folder: string;
  collectorUrl: string;
  /** The checks of its control file, and other settings. */
  checks: string;
  /** Seconds between its cycles. */
  cycle?: number;
  /** Whether it listens on a port; otherwise its checks say where it can be reached, if anywhere. */
  listens?: boolean;
}

export class RealAgent implements AsyncDisposable {
  readonly httpPort = freePort();
  readonly user = "admin";
  readonly password = "agent secret";
  readonly controlFile: string;
  #child: Bun.Subprocess | null = null;

  constructor({ folder, collectorUrl, checks, cycle = CYCLE, listens = true }: AgentOptions) {
    mkdirSync(folder, { recursive: true });
    this.controlFile = join(folder, "monitrc");
    const lines = [
      `set daemon ${cycle}`,
      ...["pid", "id", "state"].map((kind) => `set ${kind}file ${join(folder, `monit.${kind}`)}`),
      `set logfile ${join(folder, "monit.log")}`,
      ...(listens
        ? [`set httpd port ${this.httpPort} use address 127.0.0.1 allow ${this.user}:"${this.password}"`]
        : []),
      `set mmonit ${collectorUrl}`,
      checks,
    ];
    writeFileSync(this.controlFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  }

  start(): void {
    this.#child = Bun.spawn([pathOf("monit"), "-I", "-c", this.controlFile], {
      stdout: "ignore",
      stderr: "ignore",
    });
  }

  /** As the service manager stops it: it sends its stop event. */
  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.#child?.exited;
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** A process for the agent to watch, known to it by a pid file. */
export class MonitoredProcess {
  #child: Bun.Subprocess | null = null;

  constructor(readonly pidFile: string) {}

  start(): void {
    this.#child = Bun.spawn(["sleep", "infinity"]);
    writeFileSync(this.pidFile, `${this.#child.pid}\n`);
  }

  async stop(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
  }
}

/** Forwards connections, and keeps the head of the request of each. */
export async function recordingProxy(targetPort: number) {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(targetPort, "127.0.0.1");
    let received = "";
    incoming.on("data", (chunk) => {
      if (received.includes("\r\n\r\n")) return;
      received += chunk.toString("latin1");
      if (received.includes("\r\n\r\n")) heads.push(received.split("\r\n\r\n")[0] ?? "");
    });
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  const port = await eventually("the proxy listens", () => {
    const address = server.address();
    return typeof address === "object" && address?.port;
  });
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, heads, stop };
}
