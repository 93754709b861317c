/**
 * Measures Muster: `make bench`, or some of it: `bun test/bench/bench.ts history --hosts 200`. Prints a table for each
 * benchmark.
 */
import { parseArgs } from "node:util";
import { benchFuzz } from "./fuzz.ts";
import { benchHistory } from "./history.ts";
import { benchIngest } from "./ingest.ts";
import { benchUi } from "./ui.ts";
import { benchUptime } from "./uptime.ts";

const { values, positionals } = parseArgs({
  options: { hosts: { type: "string", default: "40" } },
  allowPositionals: true,
});

const BENCHMARKS: Readonly<Record<string, () => object[] | Promise<object[]>>> = {
  ingest: () => benchIngest(),
  history: () => benchHistory(Number(values.hosts)),
  uptime: () => benchUptime(),
  fuzz: () => benchFuzz(),
  ui: () => benchUi(),
};

const unknown = positionals.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined)
  throw new Error(`there is no benchmark ${unknown}: there are ${Object.keys(BENCHMARKS).join(", ")}`);
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n${name}`);
  console.table(await run());
}
