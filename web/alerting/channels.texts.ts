/** All texts of channels. */
import { counted, formatNumber } from "../text/format.ts";

export const CHANNELS = {
  caption: "Channels",
  none: "No channels yet. A channel is a way to reach people: e-mail, a messenger, a webhook.",
  columns: {
    name: "Channel",
    kind: "Kind",
    rules: "Used by",
    last: "Last message",
  },
  off: "disabled",
  noRule: "no rules",
  rules: (count: number) => counted(count, "rule"),
  noMessage: "No messages yet",
  outcomes: { sent: "Sent", refused: "Refused", failed: "Failed", unknown: "No reply" },
  failing: (failures: number) =>
    failures === 1 ? "Failing: the last message could not be sent" : `Failing: ${failures} attempts in a row`,
  edit: "Edit or test",
  editOf: (name: string) => `Edit or test ${name}`,
  deleteVerb: "Delete channel",
  deleteHint: "Its settings are deleted. Messages already sent stay in the list of deliveries.",

  editTitle: (name: string) => `Channel ${name}`,
  createTitle: "New channel",
  kind: "Kind",
  enabled: "Enabled",
  create: "Create",
  stored: (hint: string) => `${hint}. Already set; leave empty to keep it`,
  forget: (label: string) => `Remove: ${label}`,

  test: "Send a test",
  testing: "Sending…",
  answers: {
    sent: (ms: number) => `Test sent (${formatNumber(ms, 0)} ms)`,
    refused: (ms: number) => `Refused (${formatNumber(ms, 0)} ms)`,
    failed: (ms: number) => `Could not be sent (${formatNumber(ms, 0)} ms)`,
    unknown: (ms: number) => `Sent, but no reply came back (${formatNumber(ms, 0)} ms)`,
  },
  noAnswer: "(no reply)",

  through: "Notify via",
  firstRule: "Send a test and save",
  firstRuleAnyway: "Save without a test",
  testFailed: "The test was not delivered, so no channel was created. Correct the settings and try again.",
  firstRuleName: "All failures",
  firstRuleHint: "You are notified immediately of every failure, and of its recovery.",
  firstRuleDone: "Channel and rule created",
  setUp: "Notifications are set up.",
  testSent: "Check that the test message arrived.",
  serverInSettings: (host: string, from: string) => `E-mails go through ${host}, from ${from}.`,
  changeServer: "Change the mail server",
  ownServer: "A mail server of its own",
  showRules: "Rules",
  showChannels: "Channels",
} as const;
