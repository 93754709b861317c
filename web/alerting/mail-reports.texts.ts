/** All texts of reports by mail. */
import { counted, formatNumber } from "../text/format.ts";

const PERIODS = { daily: "daily", weekly: "weekly", monthly: "monthly" } as const;
export type ReportPeriod = keyof typeof PERIODS;

export const MAIL_REPORTS = {
  title: "Reports",
  caption: "Reports by mail",
  none: "No report yet. A report is a mail after each day, week or month: uptime against a target, the worst hosts, the most frequent failures, and which checks send the most messages.",
  channelFirst: "Make a channel of the kind E-mail first.",
  columns: { name: "Report", recipients: "Goes to", next: "Next", control: "Actions" },
  about: (period: ReportPeriod, groups: string, target: number) =>
    `${PERIODS[period]}, ${groups}, target ${formatNumber(target, 4)} %`,
  allHosts: "all hosts",
  noGroup: "no group any more",
  off: "off",
  unreachable: (unames: readonly string[]) => `No mail address: ${unames.join(", ")}`,
  open: "Show",
  send: "Send now",
  sendOf: (name: string) => `Send ${name} now`,
  edit: "Edit",
  editOf: (name: string) => `Edit ${name}`,
  delete: "Delete",
  deleteOf: (name: string) => `Delete ${name}`,

  sendTitle: (name: string) => `Send ${name} now?`,
  sendHint: "It is about the newest period that is over. It is sent at its usual time all the same.",
  sent: (mails: number) => `${counted(mails, "mail")} on the way; see Deliveries`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete report",
  deleteHint: "Nobody gets it any more. Mails that were sent stay in the list of deliveries.",

  createTitle: "New report",
  editTitle: (name: string) => `Edit ${name}`,
  create: "Create report",
  save: "Save",
  fields: {
    name: "Name",
    enabled: "Sent by itself",
    period: "Period",
    periods: [
      ["daily", "Each day"],
      ["weekly", "Each week, sent on Monday"],
      ["monthly", "Each month, sent on the first"],
    ] as const,
    hour: "Sent at",
    hourHint: "In the time zone of reports, which is a setting.",
    about: "About",
    everything: "All hosts",
    groups: "or host groups",
    noGroup: "There is no group yet.",
    target: "Target for uptime, %",
    targetHint: "The rest is the error budget: 99.9 % of 30 days allows 43 minutes.",
    channel: "Sent through",
    users: "Users",
    usersHint: "Each gets a mail about the hosts that they see.",
    withoutAddress: (uname: string) => `${uname} (no mail address)`,
    addresses: "Other addresses",
    addressesHint: "Separated by commas. They get a mail about all hosts of the report, without a link.",
  },

  print: "Print",
  earlier: "Earlier",
  later: "Later",
  days: (period: ReportPeriod, days: string, timezone: string) =>
    `${PERIODS[period].charAt(0).toUpperCase()}${PERIODS[period].slice(1)} report, ${days} (${timezone})`,
} as const;

/** "07:00". */
export function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}
