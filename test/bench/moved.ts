/** How often the list of an incident begins with what moved first, and how much it lists where nothing moved. */
import type { Figure } from "./harness/figures.ts";
import { placeInRandomOrder, placeOf, type Trial, tryIncident } from "./incident-site.ts";
import { KINDS } from "./incident-world.ts";

/** Seeds of what is reported. The method was chosen with seeds below them. */
const INCIDENTS_FROM = 1_000_000;
const QUIET_FROM = 2_000_000;
const LARGE_FROM = 3_000_000;
/** Hosts of a page with as many as are searched. */
const LARGE = 21;
/** Random orders that are averaged for each incident. */
const ORDERS = 100;

const NAMED = 3;

interface Shares {
  first: number;
  firstTie: number;
  named: number;
}

function sharesOf(trials: readonly Trial[]): Shares {
  const share = (holds: (trial: Trial) => boolean) => (100 * trials.filter(holds).length) / trials.length;
  const place = (trial: Trial) => placeOf(trial) ?? Number.POSITIVE_INFINITY;
  return {
    first: share((trial) => place(trial) === 1),
    firstTie: share((trial) => trial.records[place(trial) - 1]?.tie === 1),
    named: share((trial) => place(trial) <= NAMED),
  };
}

/** The same entries in random order: the shares at the first place and among the first three, percent. */
function inRandomOrder(trials: readonly Trial[]): Pick<Shares, "first" | "named"> {
  const places = trials.flatMap((trial, seed) => placeInRandomOrder(trial, seed, ORDERS));
  const share = (limit: number) => (100 * places.filter((place) => place <= limit).length) / places.length;
  return { first: share(1), named: share(NAMED) };
}

/** How often the true time of a listed first mover is within its uncertainty, percent. */
function datedRight(trials: readonly Trial[]): number {
  const listed = trials.flatMap((trial) => {
    const record = trial.records[(placeOf(trial) ?? 0) - 1];
    const at = trial.made?.effects[0]?.at;
    return record && at !== undefined ? [record.earliest < at && at <= record.latest] : [];
  });
  return (100 * listed.filter((isWithin) => isWithin).length) / listed.length;
}

/** Metrics that the pages of quiet fleets list. Each page searches an hour. */
async function falseOnsets(from: number, count: number, hosts: number, hasJobs: boolean): Promise<number> {
  let entries = 0;
  for (let seed = from; seed < from + count; seed++)
    entries += (await tryIncident(seed, { isQuiet: true, hosts, hasJobs })).records.length;
  return entries / count;
}

/** @param count incidents; there are half as many quiet pages, and a tenth of these with as many hosts as are searched */
export async function benchMoved(count: number): Promise<Figure[]> {
  const quiet = count / 2;
  const trials: Trial[] = [];
  for (let seed = INCIDENTS_FROM; seed < INCIDENTS_FROM + count; seed++) trials.push(await tryIncident(seed));
  const { first, firstTie, named } = sharesOf(trials);
  const random = inRandomOrder(trials);
  const perEntry = trials.reduce((sum, { records }) => sum + records.length, 0) / trials.length;
  const cpu = trials.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / trials.length;
  const large = await tryIncident(LARGE_FROM, { hosts: LARGE });
  const percent = { unit: "%" } as const;
  return [
    { what: "incidents", value: count },
    { what: "true first mover named first", value: first, ...percent, target: { atLeast: 60 } },
    { what: "true first mover in the first tie", value: firstTie, ...percent },
    { what: "true first mover among the first three", value: named, ...percent, target: { atLeast: 80 } },
    ...KINDS.flatMap((kind): Figure[] => {
      const shares = sharesOf(trials.filter(({ made }) => made?.kind === kind));
      return [
        { what: `${kind}: named first`, value: shares.first, ...percent },
        { what: `${kind}: among the first three`, value: shares.named, ...percent },
      ];
    }),
    { what: "its true time within the uncertainty, if listed", value: datedRight(trials), ...percent },
    { what: "in random order: first", value: random.first, ...percent },
    { what: "in random order: among the first three", value: random.named, ...percent },
    { what: "entries of a list", value: perEntry },
    {
      what: "false onsets per hour, 4 quiet hosts",
      value: await falseOnsets(QUIET_FROM, quiet, 4, false),
      target: { atMost: 1 },
    },
    { what: "the same with unplanned jobs", value: await falseOnsets(QUIET_FROM, quiet, 4, true) },
    {
      what: `false onsets per hour, ${LARGE} quiet hosts`,
      value: await falseOnsets(LARGE_FROM, quiet / 10, LARGE, false),
      target: { atMost: 1 },
    },
    { what: "CPU of a list, 4 hosts", value: cpu, unit: "ms" },
    { what: `CPU of a list, ${LARGE} hosts with ${large.metrics} metrics`, value: large.cpuMs, unit: "ms" },
  ];
}
