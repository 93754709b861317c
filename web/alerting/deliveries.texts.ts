/** All texts of deliveries: their list, and who was notified of an event. */
import { counted } from "../text/format.ts";

export const DELIVERIES = {
  caption: "Deliveries",
  columns: { date: "When", kind: "Kind", about: "About", state: "State", to: "Rule and channel" },
  state: "State",
  filters: [
    ["", "All"],
    ["pending", "Waiting"],
    ["sending", "Being sent"],
    ["sent", "Sent"],
    ["failed", "Failed"],
  ] as const,
  states: { pending: "waiting", sending: "being sent", sent: "sent", failed: "failed" },
  attempts: (count: number) => `after ${counted(count, "attempt")}`,
  none: "Nothing has been sent yet.",
  noneMatches: "No message is in this state.",
  report: "report",
  shift: "shift on call",
  eventsGone: "deleted events",
  moreEvents: (count: number) => `and ${counted(count, "other event")}`,
  ofMuster: (text: string) => `Muster: ${text}`,
  moreFindings: (count: number) => `and ${counted(count, "other finding")}`,
  to: (rule: string, channel: string) => `${rule} → ${channel}`,
  toRecipient: (rule: string, channel: string, recipient: string) => `${rule} → ${channel} (${recipient})`,
  toPerson: (rule: string, channel: string, person: string) => `${rule} → ${person} via ${channel}`,
  toPersonAt: (rule: string, channel: string, person: string, recipient: string) =>
    `${rule} → ${person} via ${channel} (${recipient})`,
  retry: "Retry",
  retryOf: (channel: string) => `Retry via ${channel}`,
  retried: "Retrying",

  ofEvent: "Who was notified",
  ofEventCaption: "Notifications of this event",
  noRuleMatched: "No notification: no rule matched, or the service was flapping.",
  suppressed: (rule: string, reason: string) => `${rule}: ${reason}`,
} as const;
