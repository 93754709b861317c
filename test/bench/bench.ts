/**
 * Measures Muster: `make bench`, at length with `make bench-long`, or some of it: `bun test/bench/bench.ts history
 * --hosts 200`. Prints a table for each benchmark, and ends with exit code 1 when one of them failed.
 */
import { parseArgs } from "node:util";
import { benchBurst } from "./burst.ts";
import { benchFuzz } from "./fuzz.ts";
import { benchHistory } from "./history.ts";
import { benchIngest } from "./ingest.ts";
import { benchKill } from "./kill.ts";
import { benchUi } from "./ui.ts";
import { benchUptime } from "./uptime.ts";

const { values, positionals } = parseArgs({
  options: { long: { type: "boolean", default: false }, hosts: { type: "string" } },
  allowPositionals: true,
});
const { long } = values;

const BENCHMARKS: Readonly<Record<string, () => object[] | Promise<object[]>>> = {
  ingest: () => benchIngest(),
  history: () => benchHistory(Number(values.hosts ?? 200)),
  uptime: () => benchUptime(),
  burst: () => benchBurst(),
  fuzz: () => benchFuzz(long ? 100_000 : 10_000),
  kill: () => benchKill(long ? 100 : 5),
  ui: () => benchUi(),
};

const unknown = positionals.find((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown !== undefined)
  throw new Error(`there is no benchmark ${unknown}: there are ${Object.keys(BENCHMARKS).join(", ")}`);
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n${name}`);
  const startedAt = performance.now();
  try {
    console.table(await run());
  } catch (error) {
    // The others are worth their time all the same.
    console.error(error);
    process.exitCode = 1;
  }
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
}
