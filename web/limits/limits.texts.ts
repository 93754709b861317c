/** All texts of limits. */
import { counted, formatNumber, formatSpan } from "../text/format.ts";

export const LIMITS = {
  title: "Limits",
  one: "Limit",
  newLimit: "New limit",
  saved: "Limit saved",
  deleted: "Limit deleted",
  none: "No limits yet: only problems found by agents are shown.",
  createFirst: "Create a limit",
  columns: { name: "Limit", open: "Exceeded now" },
  off: "disabled",
  unmatched: "currently matches nothing",
  whichUnmatched: "Which limits match nothing",
  deleteVerb: "Delete limit",
  deleteHint: "Its open failures are closed. Its events are kept.",

  create: "Create limit",
  save: "Save limit",
  name: "Name",
  enabled: "Enabled",
  whenItWarns: "Thresholds",
  number: "Metric",
  direction: "Warn if it is",
  directions: [
    ["above", "above"],
    ["below", "below"],
  ] as const,
  warning: { above: "Warning above", below: "Warning below" },
  critical: { above: "Critical above", below: "Critical below" },
  minutes: "For at least",
  minutesUnit: "minutes",
  rare: "Recovery and missing values",
  clearValue: "Recovers at",
  clearValueHint: "Empty: as soon as the limit is no longer exceeded",
  clearMinutes: "Recovers after",
  missing: "If values are missing",
  missingChoices: [
    ["keep", "keep the state"],
    ["clear", "close the failure"],
    ["warn", "warn"],
  ] as const,
  missingHint: "Also when the host is down. A value counts as missing once the host would count as down",
  downtime: "Counts as downtime of the service",
  appliesTo: "Applies to",
  places: "Host names and service types",
  hostNames: "Host names",
  hostNamesHint: "Separated by commas; * matches anything. Leave empty for all",
  serviceTypes: "Service types",
  noneIsAll: "None chosen: all",
  note: "Note",
  noteHint: "Added to notifications",
  runbook: "Runbook",
  runbookHint: "Link to instructions, added to notifications",

  suggested: "Suggested limits",
  suggestedHint: "Inactive until added. You can change them afterwards.",
  looking: "Looking at the last week…",
  take: "Add",
  takeOf: (name: string) => `Add ${name}`,
  taken: (name: string) => `${name} added`,
  suggestions: {
    disk: "Disk almost full",
    inodes: "Inodes almost used up",
    memory: "Memory almost full",
    swap: "Swap in heavy use",
    cpu: "CPU busy",
    load: "Load above the processors",
    response: "Slow responses",
  },

  month: {
    timezone: "Time zone of the month",
    timezoneHint: "The sum starts again from 0 with each calendar month",
    title: (month: string) => `Sums of ${month}`,
    none: "Nothing has been added up in this month.",
    columns: { place: "Where", sum: "Used", share: "Share" },
    share: (percent: number) => `${formatNumber(percent, 0)} %`,
    warns: (date: string) => `At this rate, warns on ${date}`,
    isCritical: (date: string) => `At this rate, critical on ${date}`,
    ends: (sum: string) => `At this rate, ${sum} at the end of the month`,
    tooEarly: "Less than a day has been counted",
    more: (n: number) => `And ${formatNumber(n, 0)} more with smaller sums.`,
  },

  preview: "Preview",
  previewNothing: "Enter a value to see what the limit would have done.",
  previewCaption: "When the limit would have been exceeded",
  previewColumns: { place: "Where and when", severity: "Severity", length: "For" },
  previewExamined: (hosts: number) =>
    `Only ${counted(hosts, "host")} ${hosts === 1 ? "was" : "were"} examined.`,
  previewApproximate: (before: string) => `Times before ${before} are rounded to 5 min.`,
  about: "about",
  severities: { warning: "warning", critical: "critical" },
  ongoing: (seconds: number) => `${formatSpan(seconds)}, ongoing`,
} as const;

/** Limits and their previews as sentences, each of which can be translated on its own. */
export const LIMIT_SENTENCES = {
  above: {
    warning: (number: string, bound: string) => `${number} above ${bound}.`,
    critical: (number: string, bound: string) => `${number} critical above ${bound}.`,
    both: (number: string, warning: string, critical: string) =>
      `${number} above ${warning}, critical above ${critical}.`,
  },
  below: {
    warning: (number: string, bound: string) => `${number} below ${bound}.`,
    critical: (number: string, bound: string) => `${number} critical below ${bound}.`,
    both: (number: string, warning: string, critical: string) =>
      `${number} below ${warning}, critical below ${critical}.`,
  },
  held: (duration: string) => `For at least ${duration}.`,
  hostsNamed: (names: string) => `Hosts named ${names}.`,
  critical: (count: number) => `${formatNumber(count, 0)} critical`,
  warnings: (count: number) => counted(count, "warning"),
  none: "none",
  noneReports: "No host in scope reports this metric.",
  wouldNot: (days: number, hosts: number) =>
    `Would not have been exceeded in ${counted(days, "day")} on ${counted(hosts, "host")}.`,
  would: (times: number, days: number, longest: number, affected: number, hosts: number) =>
    `Would have been exceeded ${counted(times, "time")} in ${counted(days, "day")}, for ${formatSpan(longest)} at most, on ${affected} of ${counted(hosts, "host")}.`,
  wouldCritical: (times: number) => `Critical: ${counted(times, "time")}.`,
} as const;
