/** Checks of what agents send. */
import { durationText } from "../../monitoring/uptime/duration.ts";
import { counted } from "../../platform/text.ts";
import type { HealthFacts, WrongClock } from "./facts.ts";
import type { HealthCheck } from "./finding.ts";
import { named } from "./words.ts";

/** Seconds after the last refused message in which they count as refused now: a few cycles of an agent. */
export const REFUSED_NOW = 600;
/** Hosts that are needed to tell that Muster's own clock is wrong, and their share. */
const MIN_HOSTS = 3;
const MOST_HOSTS = 0.5;

const messagesRefused: HealthCheck = ({ now, messages: { refused } }) =>
  refused
    .filter(({ last }) => now - last < REFUSED_NOW)
    .map(({ reason, clients }) => ({
      code: "messages.refused",
      subject: reason,
      severity: "warning",
      text: `Messages from ${counted(clients, "client")} are refused: ${reason}`,
      advice: "See Rejected messages in the settings for the addresses, and correct their agents.",
    }));

/** Whether so many clocks of hosts differ in the same direction that Muster's own must be the wrong one. */
function isOwnClockWrong({ total, clocks: { wrong, behind } }: HealthFacts["agents"]): boolean {
  return total >= MIN_HOSTS && Math.max(behind, wrong - behind) > total * MOST_HOSTS;
}

const ownClock: HealthCheck = ({ agents }) =>
  isOwnClockWrong(agents)
    ? {
        code: "clock.server",
        severity: "critical",
        text: "Muster's own clock is wrong: it differs from those of most hosts.",
        advice: "Set the clock of its machine, and keep it right with NTP.",
      }
    : null;

function clockText({ name, offset }: WrongClock): string {
  return `${name} (${durationText(Math.abs(offset))} ${offset > 0 ? "behind" : "ahead"})`;
}

const clocksOfHosts: HealthCheck = ({ agents }) => {
  const { wrong, worst } = agents.clocks;
  if (wrong === 0 || isOwnClockWrong(agents)) return null;
  return {
    code: "clock.hosts",
    severity: "warning",
    text: `Clocks are wrong: ${named(worst.map(clockText), wrong, "host")}.`,
    advice: "Keep the clocks of these hosts right with NTP. Until then, Muster corrects their times.",
  };
};

const expectedHosts: HealthCheck = ({ agents: { overdue } }) =>
  overdue.count === 0
    ? null
    : {
        code: "hosts.expected",
        severity: "warning",
        text: `Expected hosts have not reported: ${named(overdue.names, overdue.count, "host")}.`,
        advice:
          "See all of them under Hosts, Expected hosts. Check their agents, and under Settings, Rejected messages, whether they are refused; remove those that will not come.",
      };

export const agentChecks: readonly HealthCheck[] = [messagesRefused, ownClock, clocksOfHosts, expectedHosts];
