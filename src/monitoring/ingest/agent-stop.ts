/**
 * Decides when an agent's "stopped" event takes effect and when it ends. Pure. All dates are by the agent's
 * clock.
 */
import { UNKNOWN_UPTIME } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { agentNow, CLOCK_TOLERANCE, hasTime, timeOf } from "./host-facts.ts";

/**
 * Whether a stop event ends the current run of the agent. A stop event that could not be delivered arrives
 * with the next run, often dated in the second in which that run began; such an event has no effect.
 * @param stoppedAt date of the event
 * @param isFirstOfRun whether this is the first message of the run
 */
export function endsRun(message: AgentMessage, stoppedAt: number, isFirstOfRun: boolean): boolean {
  // The event lies in the agent's future: its clock was set back after the stop.
  const latest = hasTime(message) ? agentNow(message) : Number.POSITIVE_INFINITY;
  if (stoppedAt > latest + Math.max(CLOCK_TOLERANCE, message.server.poll)) return false;
  const wasSetBack = message.server.uptime < UNKNOWN_UPTIME;
  const runBegan = wasSetBack ? timeOf(message) - CLOCK_TOLERANCE : message.incarnation;
  return isFirstOfRun ? stoppedAt > runBegan : stoppedAt >= runBegan;
}

/**
 * Whether a message shows that a stopped agent runs again. A host that an administrator made Inactive stays
 * Inactive.
 * @param before the host as it was before the message
 */
export function isBack(message: AgentMessage, before: HostRow): boolean {
  if (!before.stopped || before.stopToldAt === null) return false;
  const isNewRun =
    message.incarnation !== before.incarnation && message.incarnation !== before.earlierIncarnation;
  return isNewRun || timeOf(message) > before.stopToldAt;
}
