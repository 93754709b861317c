/** All texts of the histogram of events, apart from those of the list of events, which are loaded later. */
import { counted } from "../text/format.ts";

export const HISTOGRAM = {
  title: "Events of the last 24 hours",
  label: "Events per half hour; totals below",
  all: "All events",
  now: "now",
  bar: (at: string, counts: string) => `${at}: ${counts}`,
  noneInBar: "none",
  /** By the names of the summary. */
  kinds: {
    Failed: (count: number) => counted(count, "failure"),
    Changed: (count: number) => counted(count, "change"),
    Succeeded: (count: number) => counted(count, "recovery", "recoveries"),
  },
  otherKind: (count: number, kind: string) => `${count} ${kind.toLowerCase()}`,
  highest: (count: number) => `peak: ${counted(count, "event")} per half hour`,
} as const;
