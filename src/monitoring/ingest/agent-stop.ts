/** When an agent's word that it stops counts, and when it is undone. Pure; all dates are by the agent's clock. */
import { UNKNOWN_UPTIME } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { agentNow, CLOCK_TOLERANCE, timeOf } from "./host-facts.ts";

/**
 * Whether a stop ends the run of the agent that sent the message. A stop that could not be delivered comes in a message
 * of the next run, often in the second in which that began: then it is history.
 * @param stoppedAt date of the stop
 * @param isFirstOfRun whether no message of that run came before
 */
export function endsRun(message: AgentMessage, stoppedAt: number, isFirstOfRun: boolean): boolean {
  // The agent is ahead of its own clock: that was set back since the stop.
  if (stoppedAt > agentNow(message) + Math.max(CLOCK_TOLERANCE, message.server.poll)) return false;
  const wasSetBack = message.server.uptime < UNKNOWN_UPTIME;
  const runBegan = wasSetBack ? timeOf(message) - CLOCK_TOLERANCE : message.incarnation;
  return isFirstOfRun ? stoppedAt > runBegan : stoppedAt >= runBegan;
}

/**
 * Whether a message shows that an agent runs again which said that it stops. What an administrator stopped stays so.
 * @param before the host as it was before the message
 */
export function isBack(message: AgentMessage, before: HostRow): boolean {
  if (!before.stopped || before.stopToldAt === null) return false;
  const isNewRun =
    message.incarnation !== before.incarnation && message.incarnation !== before.earlierIncarnation;
  return isNewRun || timeOf(message) > before.stopToldAt;
}
