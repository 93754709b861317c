/** All texts of mutes. */
import { counted } from "../text/format.ts";

export const MUTES = {
  mute: "Mute",
  muteOf: (name: string) => `Mute ${name}`,
  title: (name: string) => `Mute ${name}`,
  hint: "No notifications until then. Anything still failing will alert.",
  until: "How long",
  note: "Reason (optional)",
  done: "Muted",
  service: (service: string, host: string) => `${service} on ${host}`,
  rule: (name: string) => `rule ${name}`,
  rulesWithin: (rules: string, scope: string) => `${rules}. ${scope}`,
  group: (name: string) => `group ${name}`,
  by: (uname: string, until: string) => `Muted by ${uname} until ${until}`,
  maintenance: (name: string, until: string) => `Maintenance until ${until}: ${name}`,
  /** On walls, which say neither by whom nor why. */
  unnamed: (until: string) => `Muted until ${until}`,
  /** At the beginning of the banner. */
  banner: (text: string) => `${text}.`,
  noteOf: (note: string) => `“${note}”`,
  nobodyNotified: "No notifications are sent for it.",
  list: "Mutes",
  all: "Mutes and maintenance",
  inEffect: (count: number) =>
    count === 1
      ? "1 mute active: notifications are paused for what it covers."
      : `${count} mutes active: notifications are paused for what they cover.`,
  underMaintenance: (name: string, until: string) =>
    `Maintenance “${name}” until ${until}: notifications are paused for what it covers.`,
  announced: (name: string, from: string, until: string) =>
    `Maintenance “${name}” is planned from ${from} to ${until}.`,
  moreMaintenance: (count: number) => `${counted(count, "more maintenance window")} within 24 hours.`,
  show: "Show mutes",
  showMaintenance: "Show maintenance",
  muted: "muted",
  none: "Nothing is muted.",
  columns: { what: "Muted", until: "Until", by: "By" },
  endNow: "End now",
  endNowOf: (what: string) => `End now: ${what}`,
  ended: "The mute has ended",
  leased: "until a command ends",
} as const;
