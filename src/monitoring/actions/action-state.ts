/** When actions expire, and how they end without the agent. Pure functions. */
import type { ActionRow } from "./actions.repository.ts";

/** Shortest time for which an action waits for the agent, seconds. */
const MIN_WAIT = 600;
/** Cycles that an action waits at least. An agent that asked within this many cycles counts as asking for actions. */
const CYCLES = 3;
/** Time within which the result of a fetched action must arrive, seconds. Monit ends the helper long before. */
export const RESULT_SECONDS = 600;
/** A cycle counts as at least this long, seconds: Monit starts the helper a little later in each cycle. */
const MIN_CYCLE = 20;

/** How long an action waits for an agent. @param poll length of its cycle, seconds @returns seconds */
export function waitOf(poll: number): number {
  return Math.max(MIN_WAIT, CYCLES * poll);
}

/**
 * Whether an agent has asked for actions within its last `CYCLES` cycles.
 * @param lastAsked unix seconds; null for never
 */
export function asksNow(lastAsked: number | null, poll: number, now: number): boolean {
  return lastAsked !== null && now - lastAsked <= CYCLES * Math.max(poll, MIN_CYCLE);
}

const NO_RESULT = "The agent fetched the action, but reported no result";

/**
 * How a pending action ends when its time is up without word from the agent. Null while there is time, or if it has
 * ended.
 */
export function endOf(
  { state, until }: Pick<ActionRow, "state" | "until">,
  now: number,
): Pick<ActionRow, "state" | "endedAt" | "output"> | null {
  if (now < until) return null;
  if (state === "waiting") return { state: "expired", endedAt: until, output: "" };
  return state === "fetched" ? { state: "failed", endedAt: until, output: NO_RESULT } : null;
}
