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
  none: "Nothing was sent yet.",
  noneMatches: "No message is in this state.",
  report: "report",
  eventsGone: "events that are gone",
  moreEvents: (count: number) => `and ${counted(count, "other event")}`,
  to: (rule: string, channel: string) => `${rule} → ${channel}`,
  toRecipient: (rule: string, channel: string, recipient: string) => `${rule} → ${channel} (${recipient})`,
  toPerson: (rule: string, channel: string, person: string) => `${rule} → ${person} through ${channel}`,
  toPersonAt: (rule: string, channel: string, person: string, recipient: string) =>
    `${rule} → ${person} through ${channel} (${recipient})`,
  retry: "Try again",
  retryOf: (channel: string) => `Try again to ${channel}`,
  retried: "It is tried again",

  ofEvent: "Who was notified",
  ofEventCaption: "Messages about this event",
  noRuleMatched: "No notification: no rule matched.",
  suppressed: (rule: string, reason: string) => `${rule}: ${reason}`,
} as const;
