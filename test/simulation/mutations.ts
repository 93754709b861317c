/**
 * Puts small faults into the source one at a time, and looks whether the simulation finds them: `MUTANTS=30 SEED=1 bun
 * test/simulation/mutations.ts`. Works on a copy; says what was found by which seed, and what was not.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../support/random.ts";
import { type Mutant, mutate } from "./mutants.ts";

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
/** A run that takes longer, milliseconds, does not end: that is found too. */
const TIME_LIMIT = 240_000;
const { MUTANTS = "30", SEED = "1", AT_ONCE = "2", SEEDS = "20", LIST = "no" } = process.env;

/** What runs, without what is built. */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "muster-mutants-"));
  for (const name of ["src", "web", "test", "drizzle", "package.json", "tsconfig.json", "bunfig.toml"])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Every third seed is of days enough for what is deleted after one. */
function scenarioOf(seed: number): Record<string, string> {
  const size = seed % 3 === 0 ? { DAYS: "1.3", AGENTS: "6" } : { DAYS: "0.15", AGENTS: "24" };
  return { ...size, SEED: String(seed), SHRINK: "no" };
}

/** @returns what the simulation says of a copy */
async function run(copy: string, seed: number): Promise<{ isFound: boolean; said: string }> {
  const child = Bun.spawn([process.execPath, "test/simulation/main.ts"], {
    ...{ cwd: copy, timeout: TIME_LIMIT, stdout: "pipe", stderr: "pipe" },
    env: { ...process.env, ...scenarioOf(seed) },
  });
  const [out, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { isFound: exitCode !== 0, said: (out || errors).split("\n")[0] ?? "" };
}

/** @returns the seed that found it and what it said; null when none did */
async function hunt(copy: string, mutant: Mutant): Promise<{ seed: number; said: string } | null> {
  const path = join(copy, mutant.file);
  const before = readFileSync(path, "utf8");
  writeFileSync(path, mutant.text);
  try {
    // What is deleted after days is seen by the long ones.
    const isLate = mutant.file.includes("retention");
    const seeds = isLate ? sound.toSorted((a, b) => Number(a % 3 > 0) - Number(b % 3 > 0)) : sound;
    for (const seed of seeds) {
      const { isFound, said } = await run(copy, seed);
      if (isFound) return { seed, said };
    }
    return null;
  } finally {
    writeFileSync(path, before);
  }
}

/** The folders take turns, so that none is left out. */
function choose(count: number): Mutant[] {
  const random = new Random(Number(SEED));
  const mutants: Mutant[] = [];
  while (mutants.length < count) {
    const folder = FOLDERS[mutants.length % FOLDERS.length] ?? "";
    const files = [...new Bun.Glob("*.ts").scanSync(join(ROOT, folder))].sort();
    const fit = files
      .map((name) => `${folder}/${name}`)
      .filter((file) => !LEFT_OUT.some((one) => one.test(file)));
    // A file with more to change is chosen more often.
    const texts = fit.map((file) => readFileSync(join(ROOT, file), "utf8"));
    let left = random.below(texts.reduce((sum, { length }) => sum + length, 0));
    const chosen = texts.findIndex(({ length }) => {
      left -= length;
      return left < 0;
    });
    const mutant = mutate(fit[chosen] ?? "", texts[chosen] ?? "", random);
    if (mutant) mutants.push(mutant);
  }
  return mutants;
}

/** Does the same with each, some at once, in copies of their own. */
async function spread<T>(items: readonly T[], work: (copy: string, item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    const copy = makeCopy();
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(copy, item);
    rmSync(copy, { recursive: true });
  };
  await Promise.all(Array.from({ length: Number(AT_ONCE) }, worker));
}

const mutants = choose(Number(MUTANTS));
/** Seeds with which nothing is found where there is no fault. */
const sound: number[] = [];
let found = 0;

async function report(copy: string, mutant: Mutant): Promise<void> {
  const { file, line, from, to } = mutant;
  const by = await hunt(copy, mutant);
  if (by) found++;
  const what = `${file}:${line} ${from.replaceAll(/\s+/g, " ").slice(0, 60)} -> ${to}`;
  const said = by ? `\n    ${by.said.slice(0, 220)}` : "";
  console.log(`${by ? `found by seed ${by.seed}` : "NOT FOUND"}: ${what}${said}`);
}

if (LIST === "yes")
  for (const { file, line, from, to } of mutants) console.log(`${file}:${line} ${from} -> ${to}`);
else {
  await spread(
    Array.from({ length: Number(SEEDS) }, (_, i) => i + 1),
    async (copy, seed) => {
      const { isFound, said } = await run(copy, seed);
      if (isFound) console.log(`left out, as it finds something without a fault: ${said}`);
      else sound.push(seed);
    },
  );
  if (sound.length === 0) throw new Error("the simulation finds something with every seed");
  sound.sort((a, b) => a - b);
  await spread(mutants, report);
  console.log(`${found} of ${mutants.length} found`);
}
