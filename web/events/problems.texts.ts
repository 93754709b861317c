/** All texts of problems: in the overview, on the pages of hosts, services and events. */
import { formatSpan } from "../text/format.ts";

export const PROBLEMS = {
  caption: "Active problems",
  noMessage: "(no message)",
  since: (seconds: number) => `for ${formatSpan(seconds)}`,
  hostDown: "Host down",
  wasDown: "The host was declared down: the network, the host or Monit was down",
  noReport: (seconds: number) =>
    `Declared down ${formatSpan(seconds)} ago: the network, the host or Monit is down`,
  hasNotes: "Has notes",
  acknowledge: "Acknowledge",
  acknowledgeOf: (service: string, host: string) => `Acknowledge: ${service} on ${host}`,
  acknowledgeTitle: (service: string, host: string) => `Acknowledge ${service} on ${host}`,
  acknowledgeHint: "You take care of it: reminders and escalation stop. Recovery ends it.",
  acknowledged: "Acknowledged",
  acknowledgedBy: (uname: string) => `Acknowledged by ${uname}`,
  acknowledgedUntil: (uname: string, end: string) => `Acknowledged by ${uname} until ${end}`,
  note: "Note (optional)",
  until: "Until",
  withdraw: "Withdraw",
  withdrawOf: (service: string, host: string) => `Withdraw the acknowledgement: ${service} on ${host}`,
  withdrawn: "Acknowledgement withdrawn",
  dismissed: "Dismissed",
  dismiss: "Dismiss",
  dismissOf: (service: string, host: string) => `Dismiss: ${service} on ${host}`,
  dismissDone: "Dismissed. It is hidden; the problem remains.",
  dismissHint: "Hides it; the problem remains",
  restore: "Restore",
  restoreOf: (service: string, host: string) => `Restore: ${service} on ${host}`,
  restored: "Back on the list of problems",
  failed: "Failed, try again",
} as const;
