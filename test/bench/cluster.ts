/** Each part of a PostgreSQL cluster fails under load, many times. Nothing acknowledged may be lost or doubled. */
import { FAULTS, type FaultName, happen } from "../e2e/cluster/faults.ts";
import { Site } from "../e2e/cluster/site.ts";
import { type Figure, medianOf } from "./harness/figures.ts";

/** Longest interruption by design, seconds: after the loss of a Muster, and after the promotion of a PostgreSQL standby. */
const TAKEOVER = 15;
const FAILOVER = 10;

export interface ClusterOptions {
  rounds: number;
  /** How long a Muster hangs or is cut off, milliseconds. */
  hang: number;
}

function figuresOf(name: string, times: readonly number[]): Figure[] {
  const atMost = name.includes("primary") ? FAILOVER : TAKEOVER;
  const from = name.includes("primary")
    ? "the promotion until messages are taken"
    : "then until messages are taken";
  return [
    { what: `${name}: rounds`, value: times.length },
    { what: `${name}: ${from}, median`, value: medianOf(times) / 1000, unit: "s" },
    { what: `${name}: ${from}, longest`, value: Math.max(...times) / 1000, unit: "s", target: { atMost } },
  ];
}

/** Prints each round. @throws when something acknowledged was lost or doubled, or a host was considered down */
export async function benchCluster({ rounds, hang }: ClusterOptions): Promise<Figure[]> {
  const times = new Map<FaultName, number[]>();
  await using site = await Site.start();
  for (let round = 1; round <= rounds; round++)
    for (const name of Object.keys(FAULTS) as FaultName[]) {
      const after = await happen(site, name, { hang });
      console.log(`${round}/${rounds} ${name}: ${(after / 1000).toFixed(1)} s`);
      times.set(name, [...(times.get(name) ?? []), after]);
    }
  return [
    ...[...times].flatMap(([name, each]) => figuresOf(name, each)),
    { what: "messages sent", value: site.load.sent },
    { what: "of them acknowledged and lost, or stored twice", value: 0, target: { atMost: 0 } },
    { what: "hosts that counted as down", value: 0, target: { atMost: 0 } },
    { what: "messages to a channel", value: site.notifications.figures.messages },
    { what: "of them arrived twice, under one id", value: site.notifications.figures.twice },
    { what: "of them lost, or arrived more than twice", value: 0, target: { atMost: 0 } },
  ];
}
