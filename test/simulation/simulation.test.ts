/** The whole server in virtual time, among faults, compared with a model of the documentation. */
import { describe, expect, test } from "bun:test";
import { seeds } from "../support/random.ts";
import { numbersOf, rangesOf, type Scenario, stepsOf } from "./plan.ts";
import { commandOf, shrink, simulate } from "./simulate.ts";

/** Small enough to be run with every other test: `make simulate` runs larger ones. */
const SMALL = { days: 0.1, agents: 16, poll: 300, keep: null };

/** Keeps few moments. In some runs of this length none of them can be compared. */
const SHORT = { ...SMALL, days: 0.05, seed: 3 };

const results = new Map<string, ReturnType<typeof simulate>>();

/** What a run yields, which several tests look at. */
function resultOf(scenario: Scenario): ReturnType<typeof simulate> {
  const command = commandOf(scenario);
  const result = results.get(command) ?? simulate(scenario);
  results.set(command, result);
  return result;
}

async function expectToHold(scenario: Scenario) {
  const { problem, counts } = await resultOf(scenario);
  expect({ run: commandOf(scenario), problem }).toEqual({ run: commandOf(scenario), problem: null });
  // However long Muster is off.
  expect(counts.messages).toBeGreaterThan(10);
  return counts;
}

for (const seed of seeds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 666_219))
  test(`everything documented holds under the faults of seed ${seed}`, async () =>
    void (await expectToHold({ ...SMALL, seed })));

test("everything documented holds for agents whose events are lost", async () => {
  const many = { ...SMALL, seed: 4, agents: 60 };
  const steps = stepsOf(many).filter((step) => !("agent" in step) || step.agent === "no event queue");
  const counts = await expectToHold({ ...many, keep: new Set(steps.map(({ number }) => number)) });
  expect(counts.unreported).toBeGreaterThan(0);
});

test("what the API said about a moment is what it says later", async () => {
  const counts = await expectToHold(SHORT);
  expect(counts.compared).toBeGreaterThan(0);
});

test("a seed repeats a simulation row by row", async () => {
  expect(await simulate(SHORT)).toEqual(await resultOf(SHORT));
  const { digest } = await resultOf({ ...SMALL, seed: 3 });
  expect((await resultOf({ ...SMALL, seed: 5 })).digest).not.toBe(digest);
});

describe("what fails is made smaller", () => {
  test("until no step can be left out", async () => {
    const scenario = { ...SMALL, seed: 1 };
    const needed = [3, 17, 18];
    const fails = async ({ keep }: Scenario) => needed.every((number) => keep === null || keep.has(number));
    const smallest = await shrink(scenario, fails);
    expect(smallest.keep).toEqual(new Set(needed));
    expect(commandOf(smallest)).toBe("make simulate SEED=1 DAYS=0.1 AGENTS=16 POLL=300 STEPS=3,17-18");
    expect(numbersOf(rangesOf(needed))).toEqual(new Set(needed));
    const chosen = stepsOf(scenario).filter(({ number }) => needed.includes(number));
    expect(stepsOf(smallest)).toEqual(chosen);
  });
});
