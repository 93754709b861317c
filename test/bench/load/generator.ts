/**
 * A process of its own that posts as agents do, and prints what it saw as one line of JSON.
 * Arguments: port, seconds, connections at a time, agents, "close" or "keep-alive".
 */
import { connect, type Socket } from "node:net";
import { agentBody, agentRequest } from "./agents.ts";

export interface LoadResult {
  accepted: number;
  /** 503: told to come again. */
  busy: number;
  /** Any other answer, and broken connections. */
  failed: number;
  /** Per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** CPU seconds of this process. */
  cpu: number;
}

/** Versions of each agent's message that are made beforehand, so that making them costs nothing while it counts. */
const CYCLES = 4;
const STATUS_AT = "HTTP/1.1 ".length;

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function run(
  port: number,
  seconds: number,
  connections: number,
  requests: readonly Buffer[],
  keepAlive: boolean,
): Promise<LoadResult> {
  const statuses = { accepted: 0, busy: 0, failed: 0 };
  const latencies: number[] = [];
  let next = 0;
  const end = performance.now() + seconds * 1000;

  function count(status: string, startedAt: number): void {
    if (status === "200") statuses.accepted++;
    else if (status === "503") statuses.busy++;
    else statuses.failed++;
    latencies.push(performance.now() - startedAt);
  }

  /** One request on a connection that exists. A reply's end is not waited for: an agent reads its first line only. */
  function ask(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      socket.once("data", (reply: Buffer) => {
        count(reply.toString("latin1", STATUS_AT, STATUS_AT + 3), startedAt);
        resolve();
      });
      socket.once("error", () => {
        statuses.failed++;
        resolve();
      });
      const request = requests[next++ % requests.length];
      if (request) socket.write(request);
    });
  }

  async function worker(): Promise<void> {
    let socket: Socket | null = null;
    while (performance.now() < end) {
      socket ??= connect(port, "127.0.0.1");
      socket.setNoDelay(true);
      await ask(socket);
      if (keepAlive && !socket.destroyed) socket.removeAllListeners("error");
      else {
        socket.destroy();
        socket = null;
      }
    }
    socket?.destroy();
  }

  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: connections }, worker));
  const used = process.cpuUsage(before);
  latencies.sort((a, b) => a - b);
  return {
    ...statuses,
    rate: statuses.accepted / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: latencies.at(-1) ?? 0,
    cpu: (used.user + used.system) / 1e6,
  };
}

const [port = 0, seconds = 0, connections = 0, agents = 0] = process.argv.slice(2, 6).map(Number);
const keepAlive = process.argv[6] === "keep-alive";
const password = process.env.MUSTER_COLLECTOR_PASSWORD ?? "";
const now = Math.floor(Date.now() / 1000);
const requests = Array.from({ length: agents * CYCLES }, (_, i) =>
  agentRequest(agentBody(i % agents, Math.floor(i / agents), now), password, keepAlive),
);
console.log(JSON.stringify(await run(port, seconds, connections, requests, keepAlive)));
