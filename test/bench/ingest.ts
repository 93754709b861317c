/** Durable messages per second, compared with what the listener alone could answer. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE } from "../e2e/support.ts";
import { type LoadResult, runLoad } from "./load/load.ts";

const PASSWORD = "bench secret";
const AGENTS = 500;
const CONNECTIONS = 50;
/** Target: this share of the ceiling. */
const TARGETS = { close: 0.6, "keep-alive": 0.4 } as const;

type Mode = keyof typeof TARGETS;

export interface IngestRow {
  mode: Mode;
  ceiling: number;
  rate: number;
  share: number;
  target: number;
  p50: number;
  p99: number;
  /** CPU seconds of Muster per 1,000 messages. */
  cpuPerThousand: number;
  generatorCpuPerThousand: number;
  residentMb: number;
  diskMb: number;
}

function load(port: number, seconds: number, mode: Mode): Promise<LoadResult> {
  return runLoad({
    port,
    password: PASSWORD,
    agents: AGENTS,
    seconds,
    state: "steady",
    loop: { mode: "closed", connections: CONNECTIONS, keepAlive: mode === "keep-alive" },
  });
}

/** A server process, once it says that it listens. */
async function start(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; !text.includes("listening"); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${command[0]} ended before it listened`);
    text += decoder.decode(value);
  }
  return child;
}

/** CPU seconds that a process has used, and its resident megabytes. */
function usage(pid: number): { cpu: number; residentMb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  // utime and stime, in ticks of 10 ms.
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, residentMb: Number(resident) / 1024 };
}

function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  probe.stop(true);
  return probe.port;
}

async function ceilings(seconds: number): Promise<Record<Mode, number>> {
  const port = freePort();
  const child = await start([process.execPath, join(import.meta.dir, "load/ceiling.ts"), String(port)]);
  const close = await load(port, seconds, "close");
  const keepAlive = await load(port, seconds, "keep-alive");
  child.kill();
  return { close: close.rate, "keep-alive": keepAlive.rate };
}

/** @param seconds of each measurement */
export async function benchIngest(seconds = 8): Promise<IngestRow[]> {
  const ceiling = await ceilings(seconds);
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-"));
  const port = freePort();
  const command = [EXECUTABLE, "serve", "--data", folder, "--listen", `127.0.0.1:${port}`];
  const server = await start(command, {
    MUSTER_COLLECTOR_PASSWORD: PASSWORD,
    MUSTER_ADMIN_PASSWORD: PASSWORD,
  });
  try {
    // The first message of a host costs many times an ordinary one and is not measured.
    await load(port, 5, "close");
    const rows: IngestRow[] = [];
    for (const mode of Object.keys(TARGETS) as Mode[]) {
      const before = usage(server.pid);
      const result = await load(port, seconds, mode);
      const after = usage(server.pid);
      const thousands = result.accepted / 1000;
      rows.push({
        mode,
        ceiling: ceiling[mode],
        rate: result.rate,
        share: result.rate / ceiling[mode],
        target: TARGETS[mode],
        p50: result.p50,
        p99: result.p99,
        cpuPerThousand: (after.cpu - before.cpu) / thousands,
        generatorCpuPerThousand: result.cpu / thousands,
        residentMb: after.residentMb,
        diskMb: statSync(join(folder, "muster.db")).size / 1e6,
      });
    }
    return rows;
  } finally {
    server.kill("SIGTERM");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) console.table(await benchIngest());
