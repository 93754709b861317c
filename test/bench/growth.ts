/** What a message costs, depending on the size of the fleet. */
import type { BenchContext } from "./harness/context.ts";
import { type Figure, numberText } from "./harness/figures.ts";

const SIZES = [100, 1000, 10_000];
const LARGE = 100_000;
/** Closed loop: as many messages as Muster accepts, so that messages share commits as under load. */
const SECONDS = 4;

/** @throws when anything acknowledged is lost, or a host is wrongly considered silent */
export async function benchGrowth({ site, long }: BenchContext): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const agents of long ? [...SIZES, LARGE] : SIZES) {
    {
      await using muster = await site.start();
      await site.grow(muster, agents);
      await muster.stop();
    }
    await using muster = await site.start();
    // After a start Muster loads each host again.
    for (let round = 0; round < 2; round++) await site.load(muster, { seconds: null, poll: 600 });
    const watch = site.watch(muster);
    const load = await site.load(muster, { seconds: SECONDS, poll: 600 });
    const { cpu, residentMb } = watch.end();
    await muster.stop();
    site.check(null);
    const of = `${numberText(agents)} hosts:`;
    figures.push(
      { what: `${of} CPU per message`, value: (cpu / load.accepted) * 1e6, unit: "µs" },
      { what: `${of} messages accepted`, value: load.rate, unit: "/s" },
      { what: `${of} resident memory`, value: residentMb, unit: "MB" },
    );
  }
  const perMessage = figures.filter(({ unit }) => unit === "µs").map(({ value }) => Number(value));
  figures.push({
    what: "CPU per message, the largest fleet against the smallest",
    value: (perMessage.at(-1) ?? Number.NaN) / (perMessage[0] ?? Number.NaN),
    target: { atMost: 1.5 },
  });
  return figures;
}
