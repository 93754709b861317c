/** All texts of reports by mail. */
import { capitalize, counted, formatNumber } from "../text/format.ts";

const PERIODS = { daily: "daily", weekly: "weekly", monthly: "monthly" } as const;
export type ReportPeriod = keyof typeof PERIODS;

export const MAIL_REPORTS = {
  title: "Reports",
  caption: "E-mail reports",
  none: "No reports yet. A report is an e-mail sent after each day, week or month: uptime against a target, the worst hosts, the most frequent failures, and the noisiest checks.",
  channelFirst: "Create an e-mail channel first.",
  columns: { name: "Report", recipients: "Recipients", next: "Next" },
  about: (period: ReportPeriod, groups: string, target: number) =>
    `${PERIODS[period]}, ${groups}, target ${formatNumber(target, 4)} %`,
  allHosts: "all hosts",
  noGroup: "deleted groups",
  off: "not scheduled",
  unreachable: (unames: readonly string[]) => `No e-mail address: ${unames.join(", ")}`,
  send: "Send now",
  sendOf: (name: string) => `Send ${name} now`,

  sendTitle: (name: string) => `Send ${name} now?`,
  sendHint: "Covers the last complete period. The scheduled e-mail still goes out.",
  sent: (mails: number) => `Sending ${counted(mails, "e-mail")}; see Deliveries`,
  deleteVerb: "Delete report",
  deleteHint: "No more e-mails. Those already sent stay in the list of deliveries.",

  createTitle: "New report",
  create: "Create report",
  enabled: "Send on schedule",
  fields: {
    period: "Period",
    periods: [
      ["daily", "Daily"],
      ["weekly", "Weekly, on Monday"],
      ["monthly", "Monthly, on the first"],
    ] as const,
    hour: "Send at",
    hourHint: "In the report time zone (see Settings).",
    about: "Hosts",
    everything: "All hosts",
    groups: "or host groups",
    noGroup: "No groups yet.",
    target: "Uptime target, %",
    targetHint: "The rest is the error budget: 99.9 % of 30 days allows 43 minutes.",
    channel: "Send via",
    users: "Users",
    usersHint: "Each gets an e-mail about the hosts they can see.",
    withoutAddress: (uname: string) => `${uname} (no e-mail address)`,
    addresses: "Other addresses",
    addressesHint: "Separated by commas. They get an e-mail about all hosts in the report, without a link.",
  },

  print: "Print",
  earlier: "Earlier",
  later: "Later",
  days: (period: ReportPeriod, days: string, timezone: string) =>
    `${capitalize(PERIODS[period])} report, ${days} (${timezone})`,
} as const;

/** "07:00". */
export function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}
