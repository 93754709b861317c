/**
 * `make flakes`: repeats tests in random order in three surroundings, and lists failures. Tests of one file that tell a
 * story keep their order. Each run gives random tests a new SEED. A failed test is not retried.
 *
 * TESTS is a folder or file. RUNS is how often a file that uses sockets, processes, threads or the time of the machine
 * runs in each of the surroundings, REST how often all others run, which share a process. WHERE chooses one of the
 * surroundings. Outcomes are stored in LOG, so that an interrupted run can continue; without LOG that is a file for
 * each commit. Exit code 1 if anything failed.
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Unit, unitsOf } from "./flake-units.ts";
import { Notes } from "./notes.ts";
import { failuresIn } from "./test-count.ts";
import { BUN, ROOT, runStep } from "./test-run.ts";

const { TESTS = "test", WHERE = "" } = process.env;
const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: ROOT }).stdout.toString().trim();
const LOG = process.env.LOG ?? join(tmpdir(), `muster-flakes-${commit}.jsonl`);

/** Numbers of the processors that this process may use, such as "0-1,4". */
function processors(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Ends the process with a line for the person who started it. */
function refuse(reason: string): never {
  console.error(reason);
  process.exit(1);
}

function runsOf(name: string, usual: number): number {
  const runs = Number(process.env[name] ?? usual);
  return Number.isInteger(runs) && runs >= 0 ? runs : refuse(`${name} must be a whole number from 0`);
}

interface Surroundings {
  name: string;
  /** Differs between the surroundings, so that each uses other orders. */
  firstSeed: number;
  /** The lanes that run side by side, each with its processors, as `taskset` takes them. */
  lanes: string[];
  /** Processes that calculate endlessly on the same processors. */
  loops: number;
}

const processorIds = processors();
const two = processorIds.slice(0, 2).join(",");
const surroundings: readonly Surroundings[] = [
  { name: "one core", firstSeed: 1000, lanes: processorIds.map(String), loops: 0 },
  { name: "two quiet cores", firstSeed: 2000, lanes: [two], loops: 0 },
  { name: "beside four busy loops", firstSeed: 3000, lanes: [two], loops: 4 },
];

const taskset = (lane: string) => ["taskset", "--cpu-list", lane];
/** A busy loop that ends when its parent has ended, for whatever reason. */
const LOOP = "while kill -0 $PPID; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

/** The stored outcome of a run. */
interface Outcome {
  passed: number;
  failed: number;
  seconds: number;
  /** The failed tests, each with the beginning of its error. */
  output: string;
  /** The command that runs the same tests in the same order again. */
  repeat: string;
}

interface Failure {
  unit: string;
  where: string;
  outcome: Outcome;
}

class Flakes {
  readonly #notes = new Notes(LOG);
  readonly #failures: Failure[] = [];
  readonly #runs = new Map<string, number>();

  constructor(
    private readonly units: readonly Unit[],
    private readonly places: readonly Surroundings[],
  ) {}

  /** Runs all units, in rounds, so that an interrupted run has covered all surroundings. */
  async all(): Promise<void> {
    const rounds = Math.max(0, ...this.units.map(({ runs }) => runs));
    for (let round = 1; round <= rounds; round++)
      for (const place of this.places) await this.#round(round, place);
  }

  async #round(round: number, place: Surroundings): Promise<void> {
    const startedAt = performance.now();
    const failedBefore = this.#failures.length;
    const units = this.units.filter(({ runs }) => round <= runs);
    const waiting = units.values();
    const loops = Array.from({ length: place.loops }, () =>
      Bun.spawn([...taskset(two), "sh", "-c", LOOP], { stderr: "ignore" }),
    );
    try {
      await Promise.all(
        place.lanes.map(async (lane) => {
          for (const unit of waiting) await this.#run(unit, round, place, lane);
        }),
      );
    } finally {
      for (const loop of loops) loop.kill();
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    const failed = this.#failures.length - failedBefore;
    console.log(`${place.name}, round ${round}: runs ${units.length}, failed ${failed}, ${seconds} s`);
  }

  async #run({ step, isStory }: Unit, round: number, place: Surroundings, lane: string): Promise<void> {
    const where = `${place.name}, run ${round}`;
    const outcome = await this.#notes.answer(`${where}: ${step.name}`, async () => {
      const order = isStory ? [] : ["--randomize", `--seed=${place.firstSeed + round}`];
      const command = [...step.command, ...order];
      const prefix = ["env", `SEED=${randomInt(1_000_000)}`, ...taskset(lane)];
      const { count, output, seconds } = await runStep({ ...step, command }, { prefix });
      const repeat = [...prefix, ...command].join(" ").replace(BUN, "bun");
      return { ...count, seconds, output: count.failed === 0 ? "" : failuresIn(output), repeat };
    });
    this.#runs.set(place.name, (this.#runs.get(place.name) ?? 0) + 1);
    if (outcome.failed === 0) return;
    this.#failures.push({ unit: step.name, where, outcome });
    console.log(`FAILED: ${step.name} (${where})`);
  }

  /** @returns whether nothing failed */
  summary(): boolean {
    for (const [unit, failures] of Map.groupBy(this.#failures, (failure) => failure.unit)) {
      console.log(`\nFAILED in ${failures.length} of its runs: ${unit}`);
      for (const { where, outcome } of failures)
        console.log(`${where}\n  ${outcome.repeat}\n${outcome.output.replaceAll(/^/gm, "  ")}`);
    }
    console.log("");
    for (const { name } of this.places) {
      const failed = this.#failures.filter(({ where }) => where.startsWith(`${name}, `)).length;
      console.log(`${name}: runs ${this.#runs.get(name) ?? 0}, failed ${failed}`);
    }
    return this.#failures.length === 0;
  }
}

if (Bun.which("taskset") === null)
  refuse("taskset is missing, which chooses the processors. Run: sudo apt-get install -y util-linux");
const places = surroundings.filter(({ name }) => name.includes(WHERE));
if (places.length === 0)
  refuse(`WHERE must be part of one of: ${surroundings.map(({ name }) => name).join(", ")}`);
const units = unitsOf(TESTS, runsOf("RUNS", 20), runsOf("REST", 5));
if (units.length === 0) refuse("TESTS must be a folder with tests, or one file");
console.log(`Outcomes are kept in ${LOG}.`);
const flakes = new Flakes(units, places);
await flakes.all();
process.exit(flakes.summary() ? 0 : 1);
