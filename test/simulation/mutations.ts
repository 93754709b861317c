/**
 * `make mutants SEED=1 MUTANTS=30`: puts small faults into a copy of the source one at a time, and says which seed of the
 * simulation finds each. What is known is kept in LOG, so that a run that was broken off goes on where it was. Who sees
 * that a fault is none writes so into LOG, with the reason: `{"key": as LIST=yes prints it, "value": {"is": "without effect",
 * "said": reason}}`.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../support/random.ts";
import { type Mutant, mutate } from "./mutants.ts";
import type { Scenario } from "./plan.ts";

const ROOT = join(import.meta.dir, "../..");
const FOLDERS = [
  "src/monitoring/ingest",
  "src/monitoring/heartbeat",
  "src/monitoring/events",
  "src/monitoring/uptime",
  "src/monitoring/retention",
  "src/alerting/notifications",
];
/** Lists, texts and previews for people are no part of it: they have tests of their own. */
const LEFT_OUT = [
  /\.(?:routes|schemas|csv|queries)\.ts$/,
  /\/(?:preview|simulation|message|date-text|duration|events\.service|deliveries\.service)[.\w]*\.ts$/,
  /\/event-(?:pages|selection|totals)\.repository\.ts$/,
];
const NOT_COPIED = ["node_modules", "dist", ".git", "bench-results", "muster-data"];
/** A simulation that takes longer, milliseconds, does not end: that is found too. */
const TIME_LIMIT = 400_000;
const { MUTANTS = "30", SEED = "1", SEEDS = "20", LIST = "no" } = process.env;
const LOG = process.env.LOG ?? join(tmpdir(), `muster-mutants-${SEED}.jsonl`);

/** What `hunt.ts` says of a seed. */
interface Said {
  seed: number;
  problem: string | null;
  messages: number;
}

/** What became of a mutant. */
interface Verdict {
  is: "found" | "NOT FOUND" | "does not compile" | "does not start" | "without effect";
  seed?: number;
  said?: string;
}

/** Answers that are known already. */
class Notes {
  readonly #known = new Map<string, unknown>();

  constructor(private readonly file: string) {
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, "utf8").trim().split("\n")) {
      const { key, value } = JSON.parse(line) as { key: string; value: unknown };
      this.#known.set(key, value);
    }
  }

  /** The answer to a question, from memory where it was asked before. */
  async answer<T>(key: string, find: () => Promise<T>): Promise<T> {
    if (this.#known.has(key)) return this.#known.get(key) as T;
    const value = await find();
    this.#known.set(key, value);
    appendFileSync(this.file, `${JSON.stringify({ key, value })}\n`);
    return value;
  }
}

const notes = new Notes(LOG);

/** Everything but what is installed or built. */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "muster-mutants-"));
  for (const name of readdirSync(ROOT))
    if (!NOT_COPIED.includes(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Of the server alone; that something is no longer used is no fault of a mutant. */
const TYPES = {
  extends: "./tsconfig.json",
  include: ["src"],
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
};

/** Whether the types of a copy are right. */
async function compiles(copy: string): Promise<boolean> {
  writeFileSync(join(copy, "mutants.tsconfig.json"), JSON.stringify(TYPES));
  const command = [
    "--bun",
    "node_modules/.bin/tsc",
    "-p",
    "mutants.tsconfig.json",
    "--noEmit",
    "--incremental",
  ];
  const child = Bun.spawn([process.execPath, ...command, "--tsBuildInfoFile", ".types"], {
    ...{ cwd: copy, stdout: "ignore", stderr: "inherit" },
  });
  return (await child.exited) === 0;
}

/** Every third seed is of days enough for what is deleted after one. */
function scenarioOf(seed: number): Scenario {
  const size = seed % 3 === 0 ? { days: 1.1, agents: 4, poll: 600 } : { days: 0.1, agents: 16, poll: 300 };
  return { ...size, seed, keep: null };
}

/**
 * Simulates with one seed after the other in a process of its own.
 * @returns null when all is as it should be
 */
async function find(copy: string, seeds: readonly number[]): Promise<Verdict | null> {
  const child = Bun.spawn([process.execPath, "test/simulation/hunt.ts"], {
    ...{ cwd: copy, stdout: "pipe", stderr: "pipe" },
    env: { ...process.env, SCENARIOS: JSON.stringify(seeds.map(scenarioOf)) },
  });
  const errors = new Response(child.stderr).text();
  let timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT);
  let done = 0;
  for await (const line of linesOf(child.stdout)) {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), TIME_LIMIT);
    const { seed, problem, messages } = JSON.parse(line) as Said;
    if (problem === null) done++;
    else {
      // Nobody needs a simulation to see what keeps Muster from storing a single message.
      clearTimeout(timer);
      return { is: messages > 0 ? "found" : "does not start", seed, said: problem.split("\n")[0] ?? "" };
    }
  }
  clearTimeout(timer);
  const exitCode = await child.exited;
  if (done === seeds.length) return null;
  // A process that waits for what never comes ends by itself.
  const isEndless = exitCode === 0 || child.signalCode !== null;
  const said = isEndless ? "it does not end" : ((await errors).split("\n")[0] ?? "");
  return { is: done > 0 || isEndless ? "found" : "does not start", seed: seeds[done] ?? 0, said };
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

async function hunt(copy: string, mutant: Mutant, sound: readonly number[]): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, mutant.text);
  try {
    if (!(await compiles(copy))) return { is: "does not compile" };
    // What is deleted after days is seen by the long ones.
    const isLate = mutant.file.includes("retention");
    const seeds = isLate ? sound.toSorted((a, b) => Number(a % 3 > 0) - Number(b % 3 > 0)) : sound;
    return (await find(copy, seeds)) ?? { is: "NOT FOUND" };
  } finally {
    writeFileSync(path, before);
  }
}

/** The folders take turns, so that none is left out, and none of the faults comes twice. */
function* mutants(root: string): Generator<Mutant> {
  const random = new Random(Number(SEED));
  const drawn = new Set<string>();
  for (let turn = 0; ; ) {
    const folder = FOLDERS[turn % FOLDERS.length] ?? "";
    const files = [...new Bun.Glob("*.ts").scanSync(join(root, folder))].sort();
    const fit = files
      .map((name) => `${folder}/${name}`)
      .filter((file) => !LEFT_OUT.some((one) => one.test(file)));
    // A file with more to change is chosen more often.
    const texts = fit.map((file) => readFileSync(join(root, file), "utf8"));
    let left = random.below(texts.reduce((sum, { length }) => sum + length, 0));
    const chosen = texts.findIndex(({ length }) => {
      left -= length;
      return left < 0;
    });
    const mutant = mutate(fit[chosen] ?? "", texts[chosen] ?? "", random);
    if (mutant === null || drawn.has(mutant.text)) continue;
    drawn.add(mutant.text);
    yield mutant;
    turn++;
  }
}

function lineOf({ file, line, from, to }: Mutant): string {
  return `${file}:${line} ${from.replaceAll(/\s+/g, " ").trim().slice(0, 80)} -> ${to}`;
}

function keyOf(mutant: Mutant): string {
  return `${lineOf(mutant)} ${Bun.hash(mutant.text)}`;
}

/** Seeds with which nothing is found where there is no fault. */
async function soundSeeds(copy: string): Promise<number[]> {
  const sound: number[] = [];
  for (let seed = 1; seed <= Number(SEEDS); seed++) {
    const verdict = await notes.answer(`seed ${seed}`, () => find(copy, [seed]));
    if (verdict === null) sound.push(seed);
    else console.log(`left out, as seed ${seed} finds something without a fault: ${verdict.said}`);
  }
  if (sound.length === 0) throw new Error("the simulation finds something with every seed");
  return sound;
}

async function huntAll(copy: string): Promise<void> {
  const sound = await soundSeeds(copy);
  if (!(await compiles(copy))) throw new Error("the source does not compile");
  let [found, counted] = [0, 0];
  for (const mutant of mutants(copy)) {
    if (counted === Number(MUTANTS)) break;
    const key = keyOf(mutant);
    const { is, seed, said } = await notes.answer(key, () => hunt(copy, mutant, sound));
    // Whatever the compiler or the first start tells needs no simulation.
    if (is === "found" || is === "NOT FOUND") counted++;
    if (is === "found") found++;
    console.log(`${is}${seed === undefined ? "" : ` by seed ${seed}`}: ${lineOf(mutant)}`);
    if (said) console.log(`    ${said.slice(0, 220)}`);
  }
  console.log(`${found} of ${counted} found`);
}

if (LIST === "yes") {
  const all = mutants(ROOT);
  for (let i = 0; i < Number(MUTANTS); i++) console.log(keyOf(all.next().value));
} else {
  const copy = makeCopy();
  try {
    await huntAll(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
