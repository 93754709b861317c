/**
 * Measures Muster: `make bench`, at length with `make bench-long`, or some of it: `bun test/bench/bench.ts fleet --long`.
 * Prints a table for each benchmark, and writes results.json and report.md to bench-results/, which git ignores. Ends with
 * exit code 1 when a benchmark failed, not when a target was missed. MUSTER_BENCH_EXECUTABLE names another executable than dist/muster.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCHMARKS } from "./catalogue.ts";
import { BenchContext } from "./harness/context.ts";
import { type Figure, isMet, targetText, valueText } from "./harness/figures.ts";
import { thisMachine } from "./harness/machine.ts";
import { renderReport } from "./harness/report.ts";
import { readResults, writeResults } from "./harness/results.ts";

const FOLDER = join(import.meta.dir, "../../bench-results");
const RESULTS = join(FOLDER, "results.json");
const REPORT = join(FOLDER, "report.md");

const { values, positionals } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    hosts: { type: "string" },
  },
  allowPositionals: true,
});

function print(figures: readonly Figure[]): void {
  console.table(
    figures.map((figure) => ({
      what: figure.what,
      measured: valueText(figure),
      target: targetText(figure),
      met: isMet(figure) === null ? "" : isMet(figure) ? "yes" : "NO",
    })),
  );
}

/** Runs one benchmark after another. Each result is written at once, since the next one may take long or fail. */
async function measure(context: BenchContext): Promise<void> {
  const { long } = values;
  for (const [name, { title, run }] of Object.entries(BENCHMARKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(`\n${name}: ${title}`);
    const startedAt = performance.now();
    try {
      const figures = await run(context);
      print(figures);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const measuredOn = new Date().toISOString().slice(0, 10);
      const section = {
        form: long ? "long" : "short",
        measuredOn,
        seconds,
        machine: thisMachine(),
        figures,
      } as const;
      writeResults(RESULTS, { ...readResults(RESULTS), [name]: section });
    } catch (error) {
      // The other benchmarks are still worth running.
      console.error(error);
      process.exitCode = 1;
    }
    console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
}

const unknown = positionals.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined)
  throw new Error(`there is no benchmark ${unknown}: there are ${Object.keys(BENCHMARKS).join(", ")}`);
mkdirSync(FOLDER, { recursive: true });
{
  using context = new BenchContext(values.long, values.hosts === undefined ? null : Number(values.hosts));
  await measure(context);
}
writeFileSync(REPORT, renderReport(readResults(RESULTS), BENCHMARKS));
