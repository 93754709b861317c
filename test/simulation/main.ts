/** `make simulate SEED=1 DAYS=1`: one or more days of a fleet in virtual time. Exits with 1 if a check failed. */
import { numbersOf, type Scenario } from "./plan.ts";
import { commandOf, shrink, simulate } from "./simulate.ts";

const {
  SEED,
  DAYS = "1",
  AGENTS = "200",
  POLL = "300",
  STEPS = "",
  RUNS = "1",
  SHRINK = "yes",
} = process.env;
const first = SEED ? Number(SEED) : Date.now() % 1_000_000;

for (let seed = first; seed < first + Number(RUNS); seed++) {
  const keep = STEPS === "" ? null : numbersOf(STEPS);
  const scenario: Scenario = { seed, days: Number(DAYS), agents: Number(AGENTS), poll: Number(POLL), keep };
  const startedAt = performance.now();
  const { problem, counts, log } = await simulate(scenario);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const cpu = (process.cpuUsage().user / 1e6).toFixed(1);
  console.log(
    `seed ${seed}: ${problem ?? "as it should be"}, ${seconds} s (CPU so far ${cpu} s) ${JSON.stringify(counts)}`,
  );
  if (problem === null) continue;
  process.exitCode = 1;
  console.log(log.join("\n"));
  console.log(commandOf(scenario));
  if (SHRINK !== "yes") continue;
  const smallest = await shrink(
    scenario,
    async (smaller) => (await simulate(smaller)).problem !== null,
    ({ keep }) => console.log(`still fails with ${keep?.size} steps`),
  );
  console.log((await simulate(smallest)).problem);
  console.log(commandOf(smallest));
}
