/** A copy of the source that may contain a fault, and the simulation's verdict on it. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";
import type { Scenario } from "./plan.ts";

export const ROOT = join(import.meta.dir, "../..");
const NOT_COPIED = ["node_modules", "dist", ".git", "bench-results", "muster-data"];
/** Limits of a simulation, many times what one needs: CPU seconds and bytes of memory. */
const MOST_CPU = 60;
const MOST_MEMORY = 2e9;
/** Interval between two checks of these limits, milliseconds. */
const LOOK_INTERVAL = 1000;
/** Units of /proc: clock ticks per second, and bytes per page. */
const TICKS = 100;
const PAGE = 4096;
/** For the server alone, without errors about unused code, which a mutant may cause. */
const TYPES = {
  extends: "./tsconfig.json",
  include: ["src"],
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
};
const TSC = ["--bun", "node_modules/.bin/tsc", "-p", "mutants.tsconfig.json", "--noEmit", "--incremental"];

/** The result of `hunt.ts` for a seed. */
interface Said {
  seed: number;
  problem: string | null;
  messages: number;
}

/** The verdict on a mutant. */
export interface Verdict {
  is: "found" | "NOT FOUND" | "does not compile" | "does not start" | "without effect";
  seed?: number;
  said?: string;
}

/** The first seeds run for two hours, later ones for one and two days, long enough for retention to delete something. */
function scenarioOf(seed: number): Scenario {
  const keep = null;
  if (seed <= 12) return { seed, keep, days: 0.1, agents: 16, poll: 300 };
  if (seed <= 18) return { seed, keep, days: 1.1, agents: 4, poll: 600 };
  return { seed, keep, days: 2.2, agents: 6, poll: 600 };
}

export class SourceCopy {
  readonly root = mkdtempSync(join(tmpdir(), "muster-mutants-"));

  /** Copies everything except installed and built files. */
  constructor() {
    for (const name of readdirSync(ROOT))
      if (!NOT_COPIED.includes(name)) cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(this.root, "node_modules"));
    writeFileSync(join(this.root, "mutants.tsconfig.json"), JSON.stringify(TYPES));
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** Tries a mutant with these seeds, in their order. */
  async hunt(mutant: Mutant, seeds: readonly number[]): Promise<Verdict> {
    const path = join(this.root, mutant.file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, mutant.text);
    try {
      if (!(await this.compiles())) return { is: "does not compile" };
      return (await this.find(seeds)) ?? { is: "NOT FOUND" };
    } finally {
      writeFileSync(path, before);
    }
  }

  /** Whether it compiles. */
  async compiles(): Promise<boolean> {
    const child = Bun.spawn([process.execPath, ...TSC, "--tsBuildInfoFile", ".types"], {
      cwd: this.root,
      stdout: "ignore",
      stderr: "inherit",
    });
    return (await child.exited) === 0;
  }

  /**
   * Simulates one seed after another in a process of its own, until one finds a problem.
   * @returns null if there is no problem
   */
  async find(seeds: readonly number[]): Promise<Verdict | null> {
    const child = Bun.spawn([process.execPath, "test/simulation/hunt.ts"], {
      cwd: this.root,
      stdout: "pipe",
      stderr: "pipe",
      env: { ...process.env, SCENARIOS: JSON.stringify(seeds.map(scenarioOf)) },
    });
    const errors = new Response(child.stderr).text();
    let startedAt = 0;
    const timer = setInterval(() => {
      const { cpu, memory } = usageOf(child.pid);
      if (cpu - startedAt > MOST_CPU || memory > MOST_MEMORY) child.kill("SIGKILL");
    }, LOOK_INTERVAL);
    let done = 0;
    for await (const line of linesOf(child.stdout)) {
      startedAt = usageOf(child.pid).cpu;
      const { seed, problem, messages } = JSON.parse(line) as Said;
      if (problem === null) done++;
      else {
        clearInterval(timer);
        // A fault that keeps Muster from storing a single message is obvious without a simulation.
        return { is: messages > 0 ? "found" : "does not start", seed, said: problem.split("\n")[0] ?? "" };
      }
    }
    const exitCode = await child.exited;
    clearInterval(timer);
    if (done === seeds.length) return null;
    // A process that waits for something that never happens ends by itself.
    const isEndless = exitCode === 0 || child.signalCode !== null;
    const said = isEndless ? "it does not end" : ((await errors).split("\n")[0] ?? "");
    return { is: done > 0 || isEndless ? "found" : "does not start", seed: seeds[done] ?? 0, said };
  }
}

/** CPU seconds and bytes of memory of a process; undefined when it has ended or /proc is missing. */
function usageOf(pid: number): { cpu: number; memory: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
    return { cpu: ((user ?? 0) + (system ?? 0)) / TICKS, memory: (pages ?? 0) * PAGE };
  } catch {
    return { cpu: 0, memory: 0 };
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
