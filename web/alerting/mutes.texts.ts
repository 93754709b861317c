/** All texts of mutes. */
import { counted } from "../text/format.ts";

export const MUTES = {
  mute: "Mute",
  muteOf: (name: string) => `Mute ${name}`,
  title: (name: string) => `Mute ${name}`,
  hint: "Nobody is notified of it meanwhile. What still fails at the end is notified then.",
  until: "How long",
  note: "Reason (optional)",
  done: "Muted",
  service: (service: string, host: string) => `${service} on ${host}`,
  rule: (name: string) => `rule ${name}`,
  rulesWithin: (rules: string, scope: string) => `${rules}. ${scope}`,
  group: (name: string) => `group ${name}`,
  by: (uname: string, until: string) => `Muted by ${uname} until ${until}`,
  maintenance: (name: string, until: string) => `Maintenance until ${until}: ${name}`,
  /** At the beginning of the banner. */
  banner: (text: string) => `${text}.`,
  nobodyNotified: "Nobody is notified of its failures.",
  list: "Mutes",
  inEffect: (count: number) =>
    count === 1
      ? "One mute is in effect: nobody is notified of what it covers."
      : `${count} mutes are in effect: nobody is notified of what they cover.`,
  underMaintenance: (name: string, until: string) =>
    `Maintenance “${name}” until ${until}: nobody is notified of what it covers.`,
  announced: (name: string, from: string, until: string) =>
    `Maintenance “${name}” is planned from ${from} to ${until}.`,
  moreMaintenance: (count: number) => `${counted(count, "more maintenance window")} within 24 hours.`,
  show: "Show mutes",
  showMaintenance: "Show maintenance",
  none: "Nothing is muted.",
  columns: { what: "Muted", until: "Until", by: "By", control: "Actions" },
  endNow: "End now",
  endNowOf: (what: string) => `End now: ${what}`,
  ended: "The mute has ended",
  leased: "while a command runs",
  everything: "Everything",
} as const;
