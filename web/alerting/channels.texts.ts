/** All texts of channels. */
import { counted, formatNumber } from "../text/format.ts";

export const CHANNELS = {
  caption: "Channels",
  none: "No channel yet. A channel is a way to reach people: e-mail, a messenger, a webhook.",
  columns: {
    name: "Channel",
    kind: "Kind",
    rules: "Used by",
    last: "Last message",
    control: "Actions",
  },
  off: "off",
  noRule: "no rule",
  rules: (count: number) => counted(count, "rule"),
  noMessage: "No message yet",
  outcomes: { sent: "Sent", refused: "Refused", failed: "Failed", unknown: "No answer" },
  failing: (failures: number) =>
    failures === 1 ? "Failing: the last message was not sent" : `Failing: ${failures} attempts in a row`,
  edit: "Edit or test",
  editOf: (name: string) => `Edit or test ${name}`,
  delete: "Delete",
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete channel",
  deleteHint: "Its settings are lost. Messages sent through it stay in the list of deliveries.",

  title: (name: string) => `Channel ${name}`,
  newChannel: "New channel",
  kind: "Kind",
  name: "Name",
  enabled: "Enabled",
  create: "Create",
  save: "Save",
  stored: (hint: string) => `${hint}. One is stored; empty keeps it`,
  forget: (label: string) => `Forget: ${label}`,

  test: "Send a test",
  testing: "Sending...",
  answers: {
    sent: (ms: number) => `Test sent (${formatNumber(ms, 0)} ms)`,
    refused: (ms: number) => `It was refused (${formatNumber(ms, 0)} ms)`,
    failed: (ms: number) => `It could not be sent (${formatNumber(ms, 0)} ms)`,
    unknown: (ms: number) => `It was sent, and nothing came back (${formatNumber(ms, 0)} ms)`,
  },
  noAnswer: "(no answer)",

  through: "Through",
  firstRule: "Create channel and rule",
  firstRuleName: "All failures",
  firstRuleHint: "The rule notifies of every failure immediately, and on recovery.",
  firstRuleDone: "Channel and rule created",
  setUp: "Notifications are set up.",
  showRules: "Rules",
  showChannels: "Channels",
} as const;
