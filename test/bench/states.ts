/**
 * What a message costs in each state of its host: only numbers change, a failure lasts, an event in every message, and from
 * a host that is not known yet. Beside it stands the floor (load/floor.ts), the least that the same stack can do with a
 * message. The floor and all executables are measured in turn in each round, so that they meet the same state of the machine.
 *
 * bun test/bench/states.ts [--rounds N] [--warm] [--state STATE ...] [EXECUTABLE ...]
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXECUTABLE, freePort, Muster, temporaryFolder } from "../e2e/support.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import { ADDRESSES } from "./harness/addresses.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { type HostState, type LoadPlan, runLoad } from "./load/load.ts";

const HOSTS = 1000;
const NEW_HOSTS = 10_000;
const CONNECTIONS = 16;
const SECONDS = 4;
/** Number of messages after which the runtime has compiled most of the code they run. */
const WARM_AFTER = 100_000;
const FLOOR = "floor";

const STATES = ["steady", "failing", "eventful", "new"] as const;
type State = (typeof STATES)[number];
/** In the first seconds after a start, or after `WARM_AFTER` messages. */
type Warmth = "cold" | "warm";

/** Medians of all rounds for one server. */
export interface StateRow {
  state: State;
  when: Warmth;
  /** Path of the executable, or "floor". */
  server: string;
  /** Accepted per second. */
  rate: number;
  /** CPU seconds of the server per 1,000 messages, and the same as a multiple of the floor's. */
  cpu: number;
  floors: number;
  /** Milliseconds to the answer. */
  p99: number;
  /** Bytes written to the disk per message, and write calls. */
  bytes: number;
  writes: number;
}

type Measured = Pick<StateRow, "rate" | "cpu" | "p99" | "bytes" | "writes">;

/** A server under load. */
interface Target {
  pid: number;
  port: number;
  database: string;
}

type Plan = Partial<LoadPlan> & Pick<LoadPlan, "agents" | "seconds" | "state">;

async function load(port: number, plan: Plan) {
  const loop = { mode: "closed", connections: CONNECTIONS } as const;
  const result = await runLoad({ port, addresses: ADDRESSES, loop, ...plan });
  if (result.failed + result.unanswered > 0) throw new Error(`messages failed: ${JSON.stringify(result)}`);
  return result;
}

/** Runs a load and returns what the server used for it. */
async function measured({ pid, port, database }: Target, plan: Plan): Promise<Measured> {
  const before = usageOf(pid, database);
  const { rate, p99, accepted } = await load(port, plan);
  const after = usageOf(pid, database);
  return {
    rate,
    p99,
    cpu: ((after.cpu - before.cpu) / accepted) * 1000,
    bytes: ((after.writtenMb - before.writtenMb) / accepted) * 1e6,
    writes: (after.writeCalls - before.writeCalls) / accepted,
  };
}

/** Measurement of each state. Each first brings the server to the starting point. */
async function measureState(
  { port, ...target }: Target,
  state: State,
  isWarm: boolean,
): Promise<Map<Warmth, Measured>> {
  const isNew = state === "new";
  const known: HostState = isNew ? "steady" : state;
  const again: Plan = { agents: HOSTS, seconds: 2, state: known, cycle: 1 };
  const plan = (first: number): Plan =>
    isNew ? { agents: NEW_HOSTS, first, seconds: null, state: known } : { ...again, seconds: SECONDS };
  const rows = new Map<Warmth, Measured>();
  if (!isNew) {
    // Makes the hosts known, opens their failures, and warms up.
    await load(port, { agents: HOSTS, seconds: null, state: known });
    await load(port, again);
  }
  rows.set("cold", await measured({ port, ...target }, plan(0)));
  if (!isWarm) return rows;
  for (let messages = 0; messages < WARM_AFTER; ) messages += (await load(port, again)).accepted;
  rows.set("warm", await measured({ port, ...target }, plan(NEW_HOSTS)));
  return rows;
}

async function measureMuster(executable: string, state: State, isWarm: boolean) {
  using folder = temporaryFolder();
  // One socket for all addresses, as the floor has: each socket costs a call more per connection.
  const listen = `0.0.0.0:${freePort()}`;
  await using muster = await Muster.start({ cwd: folder.path, executable, listen });
  const { pid, port } = muster;
  return await measureState({ pid, port, database: join(folder.path, "data/muster.db") }, state, isWarm);
}

async function measureFloor(isWarm: boolean) {
  using folder = temporaryFolder();
  const [port, database] = [freePort(), join(folder.path, "floor.db")];
  const script = join(import.meta.dir, "load/floor.ts");
  const child = Bun.spawn([process.execPath, script, String(port), database, COLLECTOR_PASSWORD], {
    stdout: "pipe",
  });
  try {
    await child.stdout.getReader().read();
    return await measureState({ pid: child.pid, port, database }, "steady", isWarm);
  } finally {
    child.kill();
    await child.exited;
  }
}

const mediansOf = (rows: readonly Measured[]): Measured => ({
  rate: medianOf(rows.map(({ rate }) => rate)),
  cpu: medianOf(rows.map(({ cpu }) => cpu)),
  p99: medianOf(rows.map(({ p99 }) => p99)),
  bytes: medianOf(rows.map(({ bytes }) => bytes)),
  writes: medianOf(rows.map(({ writes }) => writes)),
});

export interface StatesOptions {
  executables: readonly string[];
  rounds: number;
  /** Measures once more after `WARM_AFTER` messages. */
  isWarm: boolean;
  states?: readonly State[];
}

/** @returns of each state and warmth the floor's row first, then those of the executables */
export async function measureStates(options: StatesOptions): Promise<StateRow[]> {
  const { executables, rounds, isWarm, states = STATES } = options;
  const all: { server: string; state: State | null; when: Warmth; row: Measured }[] = [];
  const add = (server: string, state: State | null, rows: Map<Warmth, Measured>) => {
    for (const [when, row] of rows) all.push({ server, state, when, row });
  };
  for (let round = 0; round < rounds; round++) {
    add(FLOOR, null, await measureFloor(isWarm));
    // The first executable of a round runs on a colder machine.
    const inTurn = round % 2 === 0 ? executables : executables.toReversed();
    for (const state of states)
      for (const executable of inTurn) add(executable, state, await measureMuster(executable, state, isWarm));
  }
  const medians = (server: string, state: State | null, when: Warmth) =>
    mediansOf(
      all
        .filter((one) => one.server === server && one.state === state && one.when === when)
        .map(({ row }) => row),
    );
  const warmths: readonly Warmth[] = isWarm ? ["cold", "warm"] : ["cold"];
  return warmths.flatMap((when) => {
    const floor = medians(FLOOR, null, when);
    return states.flatMap((state) => [
      { state, when, server: FLOOR, floors: 1, ...floor },
      ...executables.map((server) => {
        const row = medians(server, state, when);
        return { state, when, server, floors: row.cpu / floor.cpu, ...row };
      }),
    ]);
  });
}

/** Multiples of the floor's CPU. */
const TARGETS: Record<State, Record<Warmth, number>> = {
  steady: { cold: 1.4, warm: 1.25 },
  failing: { cold: 1.4, warm: 1.25 },
  eventful: { cold: 2.5, warm: 2.5 },
  new: { cold: 7, warm: 7 },
};

export async function benchStates(rounds: number, isWarm: boolean): Promise<Figure[]> {
  const rows = await measureStates({ executables: [EXECUTABLE], rounds, isWarm });
  return rows.flatMap(({ server, state, when, rate, floors, cpu, p99, bytes, writes }) => {
    const of = `${state}, ${when}${server === FLOOR ? ", floor" : ""}`;
    const isFloor = server === FLOOR;
    return [
      { what: `${of}: accepted`, value: rate, unit: "/s" },
      { what: `${of}: CPU per 1,000 messages`, value: cpu, unit: "s" },
      ...(isFloor
        ? []
        : [{ what: `${of}: CPU, times the floor`, value: floors, target: { atMost: TARGETS[state][when] } }]),
      {
        what: `${of}: time to the answer, p99`,
        value: p99,
        unit: "ms",
        ...(!isFloor && { target: { atMost: 15 } }),
      },
      { what: `${of}: written per message`, value: bytes, unit: "bytes" },
      { what: `${of}: writes per message`, value: writes },
    ];
  });
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      warm: { type: "boolean", default: false },
      state: { type: "string", multiple: true },
    },
    allowPositionals: true,
  });
  const wanted = values.state ?? STATES;
  const rows = await measureStates({
    executables: positionals.length > 0 ? positionals.map((path) => resolve(path)) : [EXECUTABLE],
    rounds: Number(values.rounds),
    isWarm: values.warm,
    states: STATES.filter((state) => wanted.includes(state)),
  });
  console.table(rows);
}
