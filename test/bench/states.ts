/**
 * What a message costs in each state of its host: steady, with an open failure, with an event in every message, and from a
 * host that is not known yet. Executables are measured in turn in each round, so that all meet the same state of the
 * machine, and beside them a bare listener that stores nothing.
 *
 * bun test/bench/states.ts [--rounds N] [EXECUTABLE ...]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EXECUTABLE, freePort, Muster, temporaryFolder } from "../e2e/support.ts";
import { ADDRESSES, everyAddress } from "./harness/addresses.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { type HostState, runLoad } from "./load/load.ts";

const HOSTS = 1000;
const NEW_HOSTS = 10_000;
const CONNECTIONS = 16;
const SECONDS = 4;

const STATES = ["steady", "failing", "eventful"] as const satisfies readonly HostState[];
type State = (typeof STATES)[number] | "new";

export interface StateRow {
  executable: string;
  state: State;
  /** Accepted per second, and the same as a share of what the bare listener answers. */
  rate: number;
  share: number;
  /** CPU seconds of the server per 1,000 messages. */
  cpu: number;
  p99: number;
}

interface Measured {
  rate: number;
  cpu: number;
  p99: number;
}

async function load(port: number, state: HostState, agents: number, seconds: number | null) {
  const result = await runLoad({
    port,
    addresses: ADDRESSES,
    agents,
    seconds,
    state,
    loop: { mode: "closed", connections: CONNECTIONS },
  });
  if (result.failed + result.unanswered > 0) throw new Error(`messages failed: ${JSON.stringify(result)}`);
  return result;
}

/** Runs a load, and tells what the server used for it. */
async function measured(
  pid: number,
  database: string,
  run: () => ReturnType<typeof load>,
): Promise<Measured> {
  const before = usageOf(pid, database).cpu;
  const { rate, p99, accepted } = await run();
  return { rate, p99, cpu: ((usageOf(pid, database).cpu - before) / accepted) * 1000 };
}

async function measure(executable: string, state: State): Promise<Measured> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path, executable, listen: everyAddress() });
  const database = join(folder.path, "data", "muster.db");
  if (state === "new")
    return await measured(muster.pid, database, () => load(muster.port, "steady", NEW_HOSTS, null));
  // Makes the hosts known, opens their failures, and warms up.
  await load(muster.port, state, HOSTS, null);
  await load(muster.port, state, HOSTS, 2);
  return await measured(muster.pid, database, () => load(muster.port, state, HOSTS, SECONDS));
}

/** What a bare listener of the same kind answers to the same load, a second. */
async function ceiling(): Promise<number> {
  const port = freePort();
  const script = join(import.meta.dir, "load/ceiling.ts");
  const child = Bun.spawn([process.execPath, script, String(port)], { stdout: "pipe" });
  try {
    await child.stdout.getReader().read();
    await load(port, "steady", HOSTS, 2);
    return (await load(port, "steady", HOSTS, SECONDS)).rate;
  } finally {
    child.kill();
    await child.exited;
  }
}

/** @returns the medians of all rounds */
export async function measureStates(executables: readonly string[], rounds: number): Promise<StateRow[]> {
  const kinds = [...STATES, "new"] as const;
  const all = kinds.flatMap((state) =>
    executables.map((executable) => ({ state, executable, rows: [] as Measured[] })),
  );
  const ceilings: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ceilings.push(await ceiling());
    for (const { state, executable, rows } of all) rows.push(await measure(executable, state));
  }
  const bare = medianOf(ceilings);
  return all.map(({ state, executable, rows }) => {
    const rate = medianOf(rows.map((row) => row.rate));
    return {
      executable,
      state,
      rate,
      share: rate / bare,
      cpu: medianOf(rows.map((row) => row.cpu)),
      p99: medianOf(rows.map((row) => row.p99)),
    };
  });
}

const TARGETS: Record<State, { share?: number; cpu?: number; rate?: number }> = {
  steady: { share: 0.75, cpu: 0.22 },
  failing: { share: 0.75, cpu: 0.22 },
  eventful: { share: 0.45, cpu: 0.4 },
  new: { rate: 1000 },
};

export async function benchStates(rounds: number): Promise<Figure[]> {
  const rows = await measureStates([EXECUTABLE], rounds);
  return rows.flatMap(({ state, rate, share, cpu, p99 }) => {
    const { share: atLeast, cpu: atMost, rate: least } = TARGETS[state];
    return [
      { what: `${state}: accepted`, value: rate, unit: "/s", ...(least && { target: { atLeast: least } }) },
      {
        what: `${state}: share of a bare listener`,
        value: share * 100,
        unit: "%",
        ...(atLeast && { target: { atLeast: atLeast * 100 } }),
      },
      {
        what: `${state}: CPU per 1,000 messages`,
        value: cpu,
        unit: "s",
        ...(atMost && { target: { atMost } }),
      },
      { what: `${state}: time to the answer, p99`, value: p99, unit: "ms", target: { atMost: 15 } },
    ];
  });
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { rounds: { type: "string", default: "5" } },
    allowPositionals: true,
  });
  const rows = await measureStates(
    positionals.length > 0 ? positionals : [EXECUTABLE],
    Number(values.rounds),
  );
  console.table(rows);
}
