/**
 * Measures Muster: `make bench`, at length with `make bench-long`, or some of it: `bun test/bench/bench.ts fleet --long`.
 * Prints a table for each benchmark, and brings docs/performance.md up to date. Ends with exit code 1 when something was
 * wrong, not when a target was missed. MUSTER_BENCH_EXECUTABLE names another executable than dist/muster.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCHMARKS } from "./catalogue.ts";
import { CAUSES } from "./harness/causes.ts";
import { BenchContext } from "./harness/context.ts";
import { type Figure, isMet, targetText, valueText } from "./harness/figures.ts";
import { thisMachine } from "./harness/machine.ts";
import { renderReport } from "./harness/report.ts";
import { readResults, writeResults } from "./harness/results.ts";

const RESULTS = join(import.meta.dir, "results.json");
const REPORT = join(import.meta.dir, "../../docs/performance.md");

const { values, positionals } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    hosts: { type: "string" },
    /** Tables only. */
    "no-report": { type: "boolean", default: false },
    /** Measures nothing. */
    "only-report": { type: "boolean", default: false },
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

/** One benchmark after the other. A result is kept at once: the next one may take long, or fail. */
async function measure(context: BenchContext): Promise<void> {
  const { long, "no-report": isTableOnly } = values;
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
      if (!isTableOnly) writeResults(RESULTS, { ...readResults(RESULTS), [name]: section });
    } catch (error) {
      // The others are worth their time all the same.
      console.error(error);
      process.exitCode = 1;
    }
    console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
}

const unknown = positionals.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined)
  throw new Error(`there is no benchmark ${unknown}: there are ${Object.keys(BENCHMARKS).join(", ")}`);
if (!values["only-report"]) {
  using context = new BenchContext(values.long, values.hosts === undefined ? null : Number(values.hosts));
  await measure(context);
}
if (!values["no-report"]) writeFileSync(REPORT, renderReport(readResults(RESULTS), BENCHMARKS, CAUSES));
