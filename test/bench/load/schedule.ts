/** When each agent reports: once a cycle, always at the same moment of it. */
export interface Schedule {
  agents: number;
  /** Length of a cycle, seconds. */
  poll: number;
  /** Part of a cycle within which all agents report, seconds: the poll time to spread them evenly, 0 for all at once. */
  spread: number;
}

export interface Turn {
  agent: number;
  cycle: number;
  /** Milliseconds after the beginning. */
  at: number;
}

/** The nth report of all, counted from 0, in the order in which they are due. */
export function turn({ agents, poll, spread }: Schedule, nth: number): Turn {
  const agent = nth % agents;
  const cycle = Math.floor(nth / agents);
  return { agent, cycle, at: (cycle * poll + (agent / agents) * spread) * 1000 };
}

/** A service of each agent fails once in this many cycles, */
const FAILURE_INTERVAL = 200;
/** for this many of them. */
const FAILURE_LENGTH = 3;
/** Makes agents fail at different times, and neighbours not one after another. */
const STRIDE = 67;

/** State of an agent's service in a cycle: it begins to fail (an event), fails, recovers (an event), or is fine. */
export type Condition = "fails" | "failing" | "recovers" | "fine";

export function conditionOf(agent: number, cycle: number): Condition {
  const phase = (cycle + agent * STRIDE) % FAILURE_INTERVAL;
  if (phase === 1) return "fails";
  if (phase > 1 && phase <= FAILURE_LENGTH) return "failing";
  return phase === FAILURE_LENGTH + 1 ? "recovers" : "fine";
}
