/** All texts of problems: in the overview, on the pages of hosts, services and events. */
import { formatSpan } from "../text/format.ts";

export const PROBLEMS = {
  caption: "Active problems",
  noMessage: "(no message)",
  since: (seconds: number) => `for ${formatSpan(seconds)}`,
  hostDown: "Host down",
  noReport: (seconds: number) =>
    `Declared down ${formatSpan(seconds)} ago: the network, the host or Monit is down`,
  hasNotes: "Has notes",
  dismissed: "dismissed",
  dismiss: "Dismiss",
  dismissOf: (service: string, host: string) => `Dismiss: ${service} on ${host}`,
  dismissDone: "Dismissed",
  dismissHint: "Hides it; the problem remains",
  failed: "Failed, try again",
} as const;
