/** All texts about the moment in the past that a page shows. */
import type { Moment } from "../api/types.ts";
import { capitalize } from "../text/format.ts";

export const MOMENT = {
  clock: "Show a moment in the past",
  field: "Date and time",
  hint: "Screens then show what is known now about that moment. Times are in your browser's time zone.",
  show: "Show",
  now: "Now",
  back: "Back to now",
  stepsBack: "Step back",
  stepsForward: "Step forward",
  steps: { day: "1 d", hour: "1 h", minute: "1 min" },
  stepBack: (length: string) => `− ${length}`,
  stepForward: (length: string) => `+ ${length}`,
  asOf: (at: string) => `As of ${at}:`,
  known: "what is known now about that moment",
  unchanged: "Nothing can be changed from here.",
  values: {
    message: "Values are those of single reports.",
    minutes: "Values are 5-minute averages.",
    hour: "Values are hourly averages.",
  },
  unknown: (count: number) => `Not known about that moment (${count})`,
  unknownList: (names: readonly string[]) => `${capitalize(names.join(", "))}.`,
  notKnown: "No longer known",
  notKnownText: (at: string) => `Nothing is known about ${at} any more.`,
  earliest: (at: string) => `Show the earliest known hour: ${at}`,
  future: "In the future",
  futureText: (at: string) => `${at} has not come yet.`,
  onlyPresent: "This page only shows the present",
} as const;

/** What is not known about a moment, by the names of the API. */
export const UNKNOWN: Readonly<Record<Moment["unknown"][number], string>> = {
  names: "names of hosts",
  groups: "groups",
  tags: "tags",
  settings: "settings of hosts",
  platform: "platforms",
  monitoring: "what was monitored",
  dismissals: "what was dismissed",
  limits: "limits",
  rules: "rules",
  maintenance: "maintenance",
  oncall: "who was on call",
  outputs: "output of programs",
  servicegroups: "service groups",
  suppressed: "why notifications were suppressed",
  values: "values",
};
