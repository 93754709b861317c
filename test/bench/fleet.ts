/** Fleets whose agents report every 30 s, each at its own moment: whether Muster keeps up, and at what cost. */
import type { Muster } from "../e2e/support.ts";
import type { BenchContext } from "./harness/context.ts";
import type { Figure } from "./harness/figures.ts";
import { FleetSite } from "./harness/fleet-site.ts";
import type { LoadResult } from "./load/load.ts";

const POLL = 30;
/**
 * Before measuring, every agent reports twice at this interval: from the first messages after its start Muster learns
 * about each host. Seconds.
 */
const WARM_UP = { short: 12, long: 60 } as const;
const WARM_UP_ROUNDS = 2;
/** Keeping up means that this share of messages is accepted within this time, milliseconds. */
const ACCEPTED_SHARE = 0.999;
const MAX_P99_MS = 250;
/** How long each trial of a fleet lasts, seconds. */
const TRIAL = 60;

/** Long enough that each agent reports once, seconds. */
const SHORT = 32;

interface Run {
  load: LoadResult;
  due: number;
  seconds: number;
  /** Seconds of CPU time, and megabytes. */
  cpu: number;
  writtenMb: number;
  residentMb: number;
  peakMb: number;
  walMb: number;
}

/** @param interval seconds between two messages of an agent */
async function run(site: FleetSite, muster: Muster, interval: number, seconds: number): Promise<Run> {
  const watch = site.watch(muster);
  const load = await site.load(muster, { seconds, poll: interval, loop: { mode: "open", interval } });
  const taken = watch.end();
  const due = load.accepted + load.busy + load.failed + load.unanswered;
  return { ...taken, load, due };
}

/** @throws as `FleetSite.check` */
function check(site: FleetSite, { load, due }: Run, interval: number): void {
  site.check(load.accepted === due ? Math.floor(Date.now() / 1000) - interval - 10 : null);
}

async function warmUp(site: FleetSite, muster: Muster, long: boolean): Promise<void> {
  const interval = long ? WARM_UP.long : WARM_UP.short;
  await site.load(muster, {
    seconds: interval * WARM_UP_ROUNDS,
    poll: POLL,
    loop: { mode: "open", interval },
  });
}

const keepsUp = ({ load, due }: Run) => load.accepted / due >= ACCEPTED_SHARE && load.p99 <= MAX_P99_MS;

/** @param limits of share of a core (1 is one) and of resident megabytes */
function figuresOf(
  run: Run,
  agents: number,
  limits: { core?: number; residentMb: number; p99: number },
): Figure[] {
  const { load, due, seconds } = run;
  const core = (cpu: number) => (cpu / seconds) * 100;
  return [
    { what: "agents", value: agents },
    { what: "length", value: seconds, unit: "s" },
    { what: "messages due", value: due / seconds, unit: "/s" },
    {
      what: "messages accepted",
      value: (load.accepted / due) * 100,
      unit: "%",
      target: { atLeast: ACCEPTED_SHARE * 100 },
    },
    { what: "put off with 503", value: load.busy },
    { what: "failed or not answered in time", value: load.failed + load.unanswered },
    { what: "from due to answered, median", value: load.p50, unit: "ms" },
    { what: "from due to answered, p99", value: load.p99, unit: "ms", target: { atMost: limits.p99 } },
    { what: "from due to answered, longest", value: load.max, unit: "ms" },
    { what: "of that, lateness of the load generator, p99", value: load.latenessP99, unit: "ms" },
    {
      what: "CPU of Muster, share of one core",
      value: core(run.cpu),
      unit: "%",
      ...(limits.core === undefined ? {} : { target: { atMost: limits.core * 100 } }),
    },
    { what: "CPU of the load generator, share of one core", value: core(load.cpu), unit: "%" },
    { what: "CPU per 1,000 messages", value: (run.cpu / load.accepted) * 1000, unit: "s" },
    { what: "resident memory, most", value: run.peakMb, unit: "MB", target: { atMost: limits.residentMb } },
    { what: "written to disk per message", value: (run.writtenMb / load.accepted) * 1000, unit: "kB" },
    { what: "write-ahead log, most", value: run.walMb, unit: "MB" },
    { what: "hosts that counted as silent", value: 0, target: { atMost: 0 } },
    { what: "events acknowledged, all stored", value: load.events },
  ];
}

/** 10,000 agents. @throws when anything acknowledged is lost, or a host is wrongly considered silent */
export async function benchFleet({ long }: BenchContext): Promise<Figure[]> {
  const agents = 10_000;
  using site = new FleetSite();
  {
    await using muster = await site.start();
    await site.grow(muster, agents);
    await muster.stop();
  }
  await using muster = await site.start();
  await warmUp(site, muster, long);
  const measured = await run(site, muster, POLL, long ? 300 : SHORT);
  check(site, measured, POLL);
  await muster.stop();
  return figuresOf(measured, agents, { core: 0.15, residentMb: 400, p99: MAX_P99_MS });
}

/**
 * 100,000 agents or, if that is too many, as many messages a second as Muster keeps up with.
 * @throws as `benchFleet` does
 */
export async function benchLargeFleet({ site, long }: BenchContext): Promise<Figure[]> {
  const agents = long ? 100_000 : 20_000;
  const priming: Figure[] = [];
  {
    await using muster = await site.start();
    const perThousand = await site.grow(muster, agents);
    if (perThousand !== null)
      priming.push({ what: "1,000 new hosts become known in", value: perThousand, unit: "s" });
    await muster.stop();
  }
  await using muster = await site.start();
  await warmUp(site, muster, long);
  if (!long) {
    const measured = await run(site, muster, POLL, SHORT);
    check(site, measured, POLL);
    await muster.stop();
    return [...priming, ...figuresOf(measured, agents, { residentMb: 2000, p99: MAX_P99_MS })];
  }
  let interval = POLL;
  let trial = await run(site, muster, interval, TRIAL);
  // The same agents at longer intervals send as many messages as fewer agents.
  while (!keepsUp(trial) && interval < 4 * POLL) {
    site.forgiveSilences();
    interval = Math.ceil(interval * 1.2);
    trial = await run(site, muster, interval, TRIAL);
  }
  const measured = await run(site, muster, interval, 600);
  check(site, measured, interval);
  await muster.stop();
  return [
    ...priming,
    {
      what: "agents every 30 s that it keeps up with",
      value: keepsUp(measured) ? Math.round((agents * POLL) / interval) : 0,
      target: { atLeast: 100_000 },
    },
    { what: "interval between two messages of an agent", value: interval, unit: "s" },
    ...figuresOf(measured, agents, { residentMb: 2000, p99: MAX_P99_MS }),
  ];
}
