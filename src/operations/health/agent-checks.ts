/** Checks of what agents send. */
import { durationText } from "../../monitoring/uptime/duration.ts";
import type { HealthFacts, WrongClock } from "./facts.ts";
import type { HealthCheck } from "./finding.ts";
import { plural } from "./words.ts";

/** Seconds after the last refused message in which they count as refused now: a few cycles of an agent. */
const REFUSED_NOW = 600;
/** Hosts that are needed to tell that Muster's own clock is wrong, and their share. */
const MIN_HOSTS = 3;
const MOST_HOSTS = 0.5;
/** Hosts that are named in a text. */
const NAMED = 3;

const messagesRefused: HealthCheck = ({ now, messages: { refused } }) =>
  refused
    .filter(({ last }) => now - last < REFUSED_NOW)
    .map(({ reason, clients }) => ({
      code: "messages.refused",
      subject: reason,
      severity: "warning",
      text: `Messages from ${plural(clients, "client")} are refused: ${reason}`,
      advice: "See Rejected messages in the settings for the addresses, and correct their agents.",
    }));

/** Whether the clocks of so many hosts differ the same way that Muster's own must be wrong. */
function isOwnClockWrong({ total, clocks: { wrong, behind } }: HealthFacts["agents"]): boolean {
  return total >= MIN_HOSTS && Math.max(behind, wrong - behind) > total * MOST_HOSTS;
}

const ownClock: HealthCheck = ({ agents }) =>
  isOwnClockWrong(agents)
    ? [
        {
          code: "clock.server",
          subject: "",
          severity: "critical",
          text: "Muster's own clock is wrong: it differs from those of most hosts.",
          advice: "Set the clock of its machine, and keep it right by NTP.",
        },
      ]
    : [];

function clockText({ name, offset }: WrongClock): string {
  return `${name} (${durationText(Math.abs(offset))} ${offset > 0 ? "behind" : "ahead"})`;
}

/** Names, as many as a text contains, and how many more there are. */
function named(names: readonly string[], count: number): string {
  const shown = names.slice(0, NAMED);
  const others = count - shown.length;
  return `${shown.join(", ")}${others > 0 ? ` and ${plural(others, "other host")}` : ""}`;
}

const clocksOfHosts: HealthCheck = ({ agents }) => {
  const { wrong, worst } = agents.clocks;
  if (wrong === 0 || isOwnClockWrong(agents)) return [];
  return [
    {
      code: "clock.hosts",
      subject: "",
      severity: "warning",
      text: `Clocks are wrong: ${named(worst.map(clockText), wrong)}.`,
      advice: "Keep the clocks of these hosts right by NTP. Muster corrects their times meanwhile.",
    },
  ];
};

const expectedHosts: HealthCheck = ({ agents: { overdue } }) =>
  overdue.count === 0
    ? []
    : [
        {
          code: "hosts.expected",
          subject: "",
          severity: "warning",
          text: `Expected hosts do not report: ${named(overdue.names, overdue.count)}.`,
          advice:
            "See muster expected for all of them. Check their agents, and under Rejected messages whether they are refused; delete those that will not come by admin/expected/delete.",
        },
      ];

export const agentChecks: readonly HealthCheck[] = [messagesRefused, ownClock, clocksOfHosts, expectedHosts];
