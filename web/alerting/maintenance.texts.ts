/** All texts of maintenance windows. */
export const MAINTENANCE = {
  caption: "Maintenance",
  columns: { name: "Maintenance", next: "Next" },
  none: "No maintenance planned. During maintenance, events are recorded but notifications are paused. Anything still failing at the end triggers one then.",
  off: "disabled",
  now: "now",
  until: (end: string) => `until ${end}`,
  over: "over",
  deleteVerb: "Delete maintenance",
  endsNow: "It ends now, and failures trigger notifications again.",
  neverBegins: "It will not take place.",

  createTitle: "New maintenance",
  create: "Create",
  enabled: "Enabled",
  when: "When",
  kinds: [
    ["once", "Once"],
    ["weekly", "Weekly"],
  ] as const,
  startsAt: "Starts at",
  minutes: "Duration (minutes)",
  timezone: "Time zone",
  appliesTo: "Applies to",
  everything: "Everything: all hosts and services",
  noScope: "Choose hosts, groups, tags or services, or “Everything”.",
  bothScopes: "Choose either “Everything” or hosts, groups and services.",
} as const;
