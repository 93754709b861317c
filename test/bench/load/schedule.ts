/** When which agent reports: each once a cycle, always at the same moment of it. */
export interface Schedule {
  agents: number;
  /** Length of a cycle, seconds. */
  poll: number;
  /** Within how much of a cycle all report, seconds: the poll time when they are spread over all of it, 0 at once. */
  spread: number;
}

export interface Turn {
  agent: number;
  cycle: number;
  /** Milliseconds after the beginning. */
  at: number;
}

/** The nth report of all, counted from 0; later ones are never due earlier. */
export function turn({ agents, poll, spread }: Schedule, nth: number): Turn {
  const agent = nth % agents;
  const cycle = Math.floor(nth / agents);
  return { agent, cycle, at: (cycle * poll + (agent / agents) * spread) * 1000 };
}

/** A service of each agent fails once in this many cycles, */
const FAILURE_INTERVAL = 200;
/** for this many of them. */
const FAILURE_LENGTH = 3;
/** So that agents fail at different times, and neighbours not one after the other. */
const STRIDE = 67;

/** How an agent's service is in a cycle: it fails (and begins to, which is an event), recovers (an event), or is fine. */
export type Condition = "fails" | "failing" | "recovers" | "fine";

export function conditionOf(agent: number, cycle: number): Condition {
  const phase = (cycle + agent * STRIDE) % FAILURE_INTERVAL;
  if (phase === 1) return "fails";
  if (phase > 1 && phase <= FAILURE_LENGTH) return "failing";
  return phase === FAILURE_LENGTH + 1 ? "recovers" : "fine";
}
