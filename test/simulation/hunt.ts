/** Runs the scenarios in SCENARIOS, a JSON array, until one finds a problem. Prints one line of JSON for each. */
import type { Scenario } from "./plan.ts";
import { simulate } from "./simulate.ts";

for (const scenario of JSON.parse(process.env.SCENARIOS ?? "[]") as Scenario[]) {
  const { problem, counts } = await simulate(scenario);
  console.log(JSON.stringify({ seed: scenario.seed, problem, messages: counts.messages }));
  if (problem !== null) process.exit(1);
}
