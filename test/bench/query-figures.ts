/** The times of queries as figures: under load, and depending on the size of the database. */
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import { ADDRESSES } from "./harness/addresses.ts";
import type { BenchContext } from "./harness/context.ts";
import { type Figure, numberText } from "./harness/figures.ts";
import { runLoad } from "./load/load.ts";
import { benchQueries, type Load } from "./queries.ts";

const LONG = { hosts: 100_000, events: 10_000_000, rounds: 300, perSecond: 3333 };
const SHORT = { hosts: 10_000, events: 1_000_000, rounds: 5, perSecond: 200 };
/** Target for the 99th percentile of an agent's wait for its answer meanwhile, milliseconds. */
const AGENT_TARGET = 50;
/** Sizes of the databases queried without load, and how often they are queried. */
const GROWTH = [10_000, 100_000, 1_000_000, 10_000_000];
const GROWTH_ROUNDS = 5;
/** The queries whose times are compared. */
const COMPARED = 100;

/** All of them report, with this many messages a second in total. */
function reporting(hosts: number, perSecond: number): Load {
  return ({ port }, asked) =>
    runLoad(
      {
        port,
        addresses: ADDRESSES,
        agents: hosts,
        password: COLLECTOR_PASSWORD,
        poll: 600,
        seconds: 3600,
        loop: { mode: "open", interval: hosts / perSecond },
      },
      asked,
    );
}

/** Each host reports twice before the first query, so that Muster knows it. */
function introducing(hosts: number) {
  return async ({ port }: { port: number }) => {
    for (let round = 0; round < 2; round++)
      await runLoad({
        port,
        addresses: ADDRESSES,
        agents: hosts,
        password: COLLECTOR_PASSWORD,
        poll: 600,
        seconds: null,
      });
  };
}

/** @throws when a query is not answered */
export async function queryFigures({ long }: BenchContext): Promise<Figure[]> {
  const { hosts, events, rounds, perSecond } = long ? LONG : SHORT;
  const { rows, load } = await benchQueries({
    hosts,
    events,
    rounds,
    warmUp: introducing(hosts),
    load: reporting(hosts, perSecond),
  });
  const figures: Figure[] = [
    { what: "hosts", value: hosts },
    { what: "events", value: events },
    { what: "messages that come in meanwhile", value: perSecond, unit: "/s" },
    {
      what: "their time to the answer, p99",
      value: load?.p99 ?? Number.NaN,
      unit: "ms",
      target: { atMost: AGENT_TARGET },
    },
    {
      what: "messages not accepted",
      value: (load?.busy ?? 0) + (load?.failed ?? 0) + (load?.unanswered ?? 0),
      target: { atMost: 0 },
    },
    ...rows.map(({ query, p99, target }) => ({
      // The time of a query is not part of its name.
      what: query.replace(/(datefrom|dateto)=\d+/g, "$1=…"),
      value: p99,
      unit: "ms",
      ...(target === null ? {} : { target: { atMost: target } }),
    })),
  ];
  if (!long) return figures;
  for (const stored of GROWTH) {
    const answers = await benchQueries({ hosts, events: stored, rounds: GROWTH_ROUNDS });
    const times = answers.rows
      .filter(({ target }) => target !== null && target <= COMPARED)
      .map(({ p50 }) => p50)
      .sort((a, b) => a - b);
    figures.push(
      {
        what: `${numberText(stored)} events, no load: median of all medians`,
        value: times[Math.floor(times.length / 2)] ?? Number.NaN,
        unit: "ms",
      },
      {
        what: `${numberText(stored)} events, no load: slowest median`,
        value: times.at(-1) ?? Number.NaN,
        unit: "ms",
      },
    );
  }
  return figures;
}
