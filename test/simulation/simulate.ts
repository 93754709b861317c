/** Runs scenarios, and finds the smallest one that still fails. */
import { Random } from "../support/random.ts";
import { checkAll } from "./checks.ts";
import { rangesOf, type Scenario, stepsOf } from "./plan.ts";
import { type Counts, Violation, World } from "./world.ts";

/** Longest interval between two full checks, seconds; a short run has this many full checks in all. */
const CHECK_INTERVAL = 3 * 3600;
const FEWEST_CHECKS = 3;
/** Time after which everything that waits has arrived, seconds: what failed often is tried once an hour. */
const CALM = 2 * 3600;
/** Maximum number of runs of the search for a smaller scenario. */
const MAX_RUNS = 60;

export interface Result {
  /** The problem found; null if there is none. */
  problem: string | null;
  counts: Counts;
  /** Last lines of Muster's log. */
  log: readonly string[];
  /** The same for the same scenario. */
  digest: string;
}

/** Rows that a run leaves, without secrets, which are sealed anew each time. */
const DIGESTED = [
  "events",
  "downtime_intervals",
  "excluded_intervals",
  "alerts",
  "deliveries",
  "samples",
  "services",
  "limit_states",
];

function digestOf({ server }: World): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const table of DIGESTED)
    hash.update(JSON.stringify(server?.rows.all(`select * from ${table} order by 1, 2`)));
  return hash.digest("hex");
}

export async function simulate(scenario: Scenario): Promise<Result> {
  const world = new World(scenario);
  const random = new Random(scenario.seed ^ 0xc4ec);
  let problem: string | null = null;
  let digest = "";
  try {
    let checkedAt = world.now();
    const interval = Math.min(CHECK_INTERVAL, (world.end - checkedAt) / FEWEST_CHECKS);
    while (world.now() < world.end) {
      await world.advance();
      if (world.now() - checkedAt < interval) continue;
      checkedAt = world.now();
      await checkAll(world, random);
    }
    if (scenario.seed % 2 === 0) await world.stopIfRunning(1);
    await world.calmDown(CALM);
    await checkAll(world, random);
    await world.disk.spare(() => world.answers.checkAll());
    if (world.server) world.outbox.checkSettled(world.server.rows);
    digest = digestOf(world);
  } catch (error) {
    problem =
      error instanceof Violation ? error.message : String(error instanceof Error ? error.stack : error);
  } finally {
    world.close();
  }
  return { problem, counts: world.counts, log: world.log, digest };
}

/** The command that runs a scenario again. */
export function commandOf({ seed, days, agents, poll, keep }: Scenario): string {
  const only = keep === null ? "" : ` STEPS=${rangesOf(keep)}`;
  return `make simulate SEED=${seed} DAYS=${days} AGENTS=${agents} POLL=${poll}${only}`;
}

/**
 * Leaves out halves, quarters and so on of the steps as long as the remaining steps still fail.
 * @param onStep called with every smaller scenario that fails
 */
export async function shrink(
  scenario: Scenario,
  fails: (smaller: Scenario) => Promise<boolean>,
  onStep: (smaller: Scenario) => void = () => undefined,
): Promise<Scenario> {
  let steps = stepsOf(scenario).map(({ number }) => number);
  let runs = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length && runs < MAX_RUNS; runs++) {
      const fewer = steps.toSpliced(from, size);
      const smaller = { ...scenario, keep: new Set(fewer) };
      if (fewer.length > 0 && (await fails(smaller))) {
        steps = fewer;
        onStep(smaller);
      } else from += size;
    }
  }
  return { ...scenario, keep: new Set(steps) };
}
