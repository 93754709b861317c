/**
 * `make mutants SEED=1 MUTANTS=30`: puts small faults into a copy of the source one at a time, and says which seed of the
 * simulation finds each. The faults are drawn by SEED from all that the tool knows to make in the areas of `areas.ts`. What
 * is known is kept in LOG, so that a run that was broken off goes on where it was. With WORKERS=2, two faults are tried at a
 * time. Who sees that a fault is none writes so into LOG, with the reason: `{"key": as LIST=yes prints it, "value":
 * {"is": "without effect", "said": reason}}`.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Notes } from "../../scripts/notes.ts";
import { mutants } from "./areas.ts";
import type { Mutant } from "./mutants.ts";
import { ROOT, SourceCopy, type Verdict } from "./source-copy.ts";

const { MUTANTS = "30", SEED = "1", SEEDS = "20", WORKERS = "1", LIST = "no" } = process.env;
const LOG = process.env.LOG ?? join(tmpdir(), `muster-mutants-${SEED}.jsonl`);
/** From this seed on, simulations run for enough days that retention deletes something. */
const FIRST_LONG = 13;

function lineOf({ file, line, from, to }: Mutant): string {
  return `${file}:${line} ${from.replaceAll(/\s+/g, " ").trim().slice(0, 80)} -> ${to}`;
}

function keyOf(mutant: Mutant): string {
  return `${lineOf(mutant)} ${Bun.hash(mutant.text)}`;
}

/** Only long simulations see what retention deletes, so they run first. */
function inOrder(seeds: readonly number[], { file }: Mutant): readonly number[] {
  if (!/retention|deletion/.test(file)) return seeds;
  return seeds.toSorted((a, b) => Number(a < FIRST_LONG) - Number(b < FIRST_LONG));
}

class Run {
  readonly #notes = new Notes(LOG);
  #killed = 0;
  #counted = 0;

  constructor(private readonly copies: readonly SourceCopy[]) {}

  /** Each copy takes the next fault. */
  async all(): Promise<void> {
    const drawn = mutants(this.copies[0]?.root ?? ROOT, Number(SEED));
    await Promise.all(this.copies.map((copy) => this.#tryAll(copy, drawn)));
    console.log(`${this.#killed} of ${this.#counted} found`);
  }

  async #tryAll(copy: SourceCopy, drawn: Iterable<Mutant>): Promise<void> {
    for (const mutant of drawn) {
      if (this.#counted >= Number(MUTANTS)) return;
      const { is, seed, said } = await this.#notes.answer(keyOf(mutant), () => this.#hunt(copy, mutant));
      // What the compiler or the first start detects needs no simulation.
      if (is === "found" || is === "NOT FOUND") this.#counted++;
      if (is === "found") this.#killed++;
      console.log(`${is}${seed === undefined ? "" : ` by seed ${seed}`}: ${lineOf(mutant)}`);
      if (said) console.log(`    ${said.slice(0, 220)}`);
    }
  }

  async #hunt(copy: SourceCopy, mutant: Mutant): Promise<Verdict> {
    const everySeed = Array.from({ length: Number(SEEDS) }, (_, i) => i + 1);
    for (let seeds = inOrder(everySeed, mutant); ; ) {
      const verdict = await copy.hunt(mutant, seeds);
      if (verdict.is !== "found" || verdict.seed === undefined) return verdict;
      if (await this.#isSound(copy, verdict.seed)) return verdict;
      seeds = seeds.slice(seeds.indexOf(verdict.seed) + 1);
    }
  }

  /** Whether a seed finds nothing without a fault. */
  async #isSound(copy: SourceCopy, seed: number): Promise<boolean> {
    const verdict = await this.#notes.answer(`seed ${seed}`, () => copy.find([seed]));
    if (verdict !== null)
      console.log(`left out, as seed ${seed} finds something without a fault: ${verdict.said}`);
    return verdict === null;
  }
}

if (LIST === "yes") {
  const candidates = mutants(ROOT, Number(SEED));
  for (let i = 0; i < Number(MUTANTS); i++) console.log(keyOf(candidates.next().value));
} else {
  const copies = Array.from({ length: Number(WORKERS) }, () => new SourceCopy());
  try {
    await new Run(copies).all();
  } finally {
    for (const copy of copies) copy.remove();
  }
}
