/** Rules, scopes and schedules in words. Each text is a whole sentence, so that it can be translated on its own. */

/** A scope names what it is about, one sentence for each kind. */
export const SCOPE_SENTENCES = {
  everything: "All hosts and services.",
  muster: "Muster itself.",
  hosts: (names: string) => `Hosts: ${names}.`,
  otherHosts: "Hosts you cannot see.",
  groups: (names: string) => `Host groups: ${names}.`,
  otherGroups: "Host groups you cannot see.",
  tags: (names: string) => `Tags: ${names}.`,
  services: (names: string) => `Services: ${names}.`,
  serviceGroups: (names: string) => `Service groups: ${names}.`,
  serviceTypes: (names: string) => `Service types: ${names}.`,
  someClasses: "Only some event classes.",
  states: (names: string) => `States: ${names}.`,
  severities: (names: string) => `Severity: ${names}.`,
} as const;

interface FirstNotification {
  /** Channels and people. */
  who: string;
  /** "5 min". */
  wait: string;
}

export const RULE_SENTENCES = {
  notifiesNobody: "Notifies nobody.",
  notifies: ({ who }: FirstNotification) => `Notifies ${who} immediately.`,
  notifiesAndRecovery: ({ who }: FirstNotification) => `Notifies ${who} immediately and on recovery.`,
  notifiesLater: ({ who, wait }: FirstNotification) => `Notifies ${who} after ${wait}.`,
  notifiesLaterAndRecovery: ({ who, wait }: FirstNotification) =>
    `Notifies ${who} after ${wait} and on recovery.`,
  escalates: ({ who, wait }: FirstNotification) => `Escalates after ${wait} to ${who}.`,
  escalatesToNobody: (wait: string) => `Escalates after ${wait} to nobody.`,
  onCall: (schedule: string) => `the person on call in ${schedule}`,
  repeats: (interval: string) => `Repeats every ${interval}.`,
  quiet: ({ days, from, to }: { days: string; from: string; to: string }) =>
    `Quiet hours: ${days}, from ${from} to ${to}.`,
} as const;

interface WeeklyWindow {
  days: string;
  from: string;
  length: string;
  timezone: string;
}

export const SCHEDULE_SENTENCES = {
  once: ({ from, to }: { from: string; to: string }) => `Once, from ${from} to ${to}.`,
  weekly: ({ days, from, length, timezone }: WeeklyWindow) =>
    `${days}: at ${from} for ${length} (${timezone}).`,
} as const;

export const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
export const SHORT_DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
export const EVERY_DAY = "Every day";

/** By state code, as a rule names the events that it is about. */
export const RULE_STATES = ["Recoveries", "Failures", "Changes"] as const;

/** By severity code, which only failures of limits have. */
export const RULE_SEVERITIES = ["Reported by agents", "Limit warnings", "Critical limit failures"] as const;
/** The same of failures of Muster itself, which no agent reports. */
export const MUSTER_SEVERITIES = ["", "Warnings", "Critical failures"] as const;
