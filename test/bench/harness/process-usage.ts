/** Resources used by a running Muster, as counted by Linux. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const MB = 1e6;

export interface Usage {
  /** Seconds of CPU time since its start. */
  cpu: number;
  residentMb: number;
  /** Peak since its start. */
  peakMb: number;
  /** Bytes written to the disk since its start. */
  writtenMb: number;
  /** Write calls since its start. */
  writeCalls: number;
  /** Open files and sockets. */
  files: number;
  walMb: number;
}

const fileMb = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MB;

/** @param database file of it */
export function usageOf(pid: number, database: string): Usage {
  const proc = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  const field = (text: string, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? Number.NaN);
  const times = proc("stat").split(") ")[1]?.split(" ") ?? [];
  const status = proc("status");
  const io = proc("io");
  return {
    // utime and stime, in ticks of 10 ms.
    cpu: (Number(times[11]) + Number(times[12])) / 100,
    residentMb: (field(status, "VmRSS") * 1024) / MB,
    peakMb: (field(status, "VmHWM") * 1024) / MB,
    writtenMb: field(io, "write_bytes") / MB,
    writeCalls: field(io, "syscw"),
    files: readdirSync(`/proc/${pid}/fd`).length,
    walMb: fileMb(`${database}-wal`),
  };
}

export const databaseMb = (folder: string) => fileMb(join(folder, "muster.db"));

/** Samples a process every second until stopped. */
export class Watch {
  readonly samples: Usage[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #startedAt = performance.now();

  constructor(
    private readonly pid: number,
    private readonly database: string,
  ) {
    this.#look();
    this.#timer = setInterval(() => this.#look(), 1000);
  }

  #look(): void {
    this.samples.push(usageOf(this.pid, this.database));
  }

  /** @returns what it used between the first sample and now */
  end(): {
    seconds: number;
    cpu: number;
    writtenMb: number;
    residentMb: number;
    peakMb: number;
    walMb: number;
  } {
    clearInterval(this.#timer);
    this.#look();
    const most = (of: (usage: Usage) => number) => Math.max(...this.samples.map(of));
    const first = this.samples[0] as Usage;
    const last = this.samples.at(-1) as Usage;
    return {
      seconds: (performance.now() - this.#startedAt) / 1000,
      cpu: last.cpu - first.cpu,
      writtenMb: last.writtenMb - first.writtenMb,
      residentMb: last.residentMb,
      peakMb: most((usage) => usage.residentMb),
      walMb: most((usage) => usage.walMb),
    };
  }
}
