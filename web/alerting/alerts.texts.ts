/** Texts that the screens of rules, channels, maintenance and deliveries share. */
export const ALERTS = {
  title: "Alerts",
  partTitle: (part: string) => `Alerts: ${part}`,
  parts: "Parts of alerts",
  rules: "Rules",
  channels: "Channels",
  maintenance: "Maintenance",
  deliveries: "Deliveries",
  reports: "Reports",
  rehearsals: "Rehearsals",
  newRule: "New rule",
  newChannel: "New channel",
  newMaintenance: "New maintenance",
  newReport: "New report",
  newRehearsal: "New weekly rehearsal",
  rule: "Rule",
  ruleSaved: "Rule saved",
  /** A place that an event is about. */
  place: (service: string, host: string) => `${service} on ${host}`,
  noneNotified: "Nobody is notified of problems yet.",
  choose: "Choose who is notified",
} as const;
