/** Half the load that Muster can take, for a long time: whether anything grows that should not. */
import type { BenchContext } from "./harness/context.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { FleetSite } from "./harness/fleet-site.ts";
import type { Usage } from "./harness/process-usage.ts";

const AGENTS = 10_000;
/** Duration of the measurement of the load that Muster can take, seconds. */
const MAXIMUM_SECONDS = 10;
/** Shares of the whole duration that are compared: the part after the warm-up, and the last part. */
const EARLY = [1 / 3, 1 / 2] as const;
const LATE = [5 / 6, 1] as const;

function medianWithin(
  samples: readonly Usage[],
  [from, to]: readonly [number, number],
  of: (usage: Usage) => number,
) {
  return medianOf(samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map(of));
}

/** @throws when anything acknowledged is lost, or a host is wrongly considered silent */
export async function benchSoak({ long }: BenchContext): Promise<Figure[]> {
  using site = new FleetSite();
  {
    await using muster = await site.start();
    await site.grow(muster, AGENTS);
    await muster.stop();
  }
  await using muster = await site.start();
  await site.load(muster, { seconds: null, poll: 600 });
  const maximum = await site.load(muster, { seconds: MAXIMUM_SECONDS, poll: 600 });
  const watch = site.watch(muster);
  const load = await site.load(muster, {
    seconds: long ? 1800 : 30,
    poll: 600,
    loop: { mode: "open", interval: AGENTS / (maximum.rate / 2) },
  });
  const taken = watch.end();
  await muster.stop();
  site.check(null);
  const change = (of: (usage: Usage) => number) => {
    const early = medianWithin(watch.samples, EARLY, of);
    return { early, late: medianWithin(watch.samples, LATE, of) };
  };
  const memory = change((usage) => usage.residentMb);
  const files = change((usage) => usage.files);
  // Half a minute is still part of the warm-up.
  const flat = (target: Figure["target"]) => (long && target ? { target } : {});
  return [
    { what: "agents", value: AGENTS },
    { what: "length", value: taken.seconds, unit: "s" },
    { what: "messages accepted", value: load.rate, unit: "/s" },
    { what: "put off with 503", value: load.busy, target: { atMost: 0 } },
    { what: "failed", value: load.failed, target: { atMost: 0 } },
    { what: "not answered in time", value: load.unanswered, target: { atMost: 0 } },
    { what: "from due to answered, p99", value: load.p99, unit: "ms" },
    { what: "from due to answered, longest", value: load.max, unit: "ms" },
    { what: "of that, lateness of the load generator, p99", value: load.latenessP99, unit: "ms" },
    { what: "CPU of Muster, share of one core", value: (taken.cpu / taken.seconds) * 100, unit: "%" },
    { what: "resident memory, median after a third", value: memory.early, unit: "MB" },
    { what: "resident memory, median at the end", value: memory.late, unit: "MB" },
    {
      what: "growth of resident memory between them",
      value: ((memory.late - memory.early) / memory.early) * 100,
      unit: "%",
      ...flat({ atMost: 5 }),
    },
    { what: "write-ahead log, most", value: taken.walMb, unit: "MB", target: { atMost: 80 } },
    { what: "open files between them, more by", value: files.late - files.early, ...flat({ atMost: 10 }) },
    { what: "hosts that counted as silent", value: 0, target: { atMost: 0 } },
  ];
}
