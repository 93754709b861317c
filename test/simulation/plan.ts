/** The steps of a simulation, derived from the seed. Any of them can be left out. */
import { Random } from "../support/random.ts";
import { AGENT_KINDS, type AgentKind } from "./agents.ts";

export const INCIDENTS = [
  ["kill", 6],
  ["restart", 2],
  ["full disk", 2],
  ["slow disk", 2],
  ["clock forward", 1],
  ["clock back", 0.1],
  ["network outage", 2],
  ["channel trouble", 4],
  ["set status", 8],
  ["delete host", 3],
  ["dismiss", 6],
  ["acknowledge", 8],
  ["maintenance", 4],
  ["mute", 5],
  ["end mute", 3],
  ["new dependency", 8],
  ["remove dependency", 1],
  ["new rule", 2],
  ["remove rule", 1],
  ["new limit", 2],
  ["remove limit", 2],
  ["keep events for a day", 0.3],
] as const;
export type IncidentKind = (typeof INCIDENTS)[number][0];

export type Step =
  | { number: number; agent: AgentKind; seed: number }
  | { number: number; incident: IncidentKind; seed: number; at: number };

/** What is simulated. */
export interface Scenario {
  seed: number;
  days: number;
  agents: number;
  /** Seconds between two messages of an agent. */
  poll: number;
  /** Numbers of the steps to run; null for all of them. */
  keep: ReadonlySet<number> | null;
}

export const DAY = 86_400;
/** Incidents of every scenario, and additional ones per day. */
const INCIDENTS_AT_LEAST = 15;
const INCIDENTS_PER_DAY = 40;
/** Number of steady agents out of ten. */
const STEADY_SHARE = 0.4;

function pickIncident(random: Random): IncidentKind {
  let left = random.fraction() * INCIDENTS.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of INCIDENTS) {
    left -= weight;
    if (left < 0) return kind;
  }
  return "kill";
}

/** The steps of a scenario in the order of their numbers. Each has a seed of its own, so that none depends on another. */
export function stepsOf({ seed, days, agents, keep }: Scenario): Step[] {
  const random = new Random(seed);
  const fresh = () => random.below(2 ** 31);
  const steps: Step[] = [];
  for (let i = 0; i < agents; i++) {
    const agent = random.chance(STEADY_SHARE) ? "steady" : random.pick(AGENT_KINDS);
    steps.push({ number: steps.length, agent, seed: fresh() });
  }
  for (let i = 0; i < INCIDENTS_AT_LEAST + Math.ceil(INCIDENTS_PER_DAY * days); i++) {
    const incident = pickIncident(random);
    const at = random.between(60, Math.max(61, Math.floor(days * DAY) - 60));
    steps.push({ number: steps.length, incident, seed: fresh(), at });
  }
  // Long enough for retention to delete something.
  if (days > 1)
    steps.push({
      number: steps.length,
      incident: "keep events for a day",
      seed: fresh(),
      at: random.below(DAY),
    });
  return keep === null ? steps : steps.filter((step) => keep.has(step.number));
}

/** Numbers in the form people write them, such as "3,5-9". */
export function rangesOf(numbers: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** @throws if the text is not in the form of `rangesOf` */
export function numbersOf(text: string): Set<number> {
  const numbers = text.split(",").flatMap((range) => {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (from === undefined) throw new Error(`no range of numbers: ${range}`);
    return Array.from({ length: Number(to ?? from) - Number(from) + 1 }, (_, i) => Number(from) + i);
  });
  return new Set(numbers);
}
