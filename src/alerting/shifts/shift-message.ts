/** The texts of messages about shifts. Pure functions. */
import { zonedMinuteText } from "../../platform/date-text.ts";
import type { SHIFT_PARTS } from "../../platform/storage/schema/alerts.ts";
import type { AlertMessage } from "../channels/kinds/channel-kind.ts";
import { line } from "../notifications/message-text.ts";

/** before: the shift begins soon; begins: it begins; ends: the one of someone else begins. */
export type ShiftPart = (typeof SHIFT_PARTS)[number];

const MAX_NAME = 100;
const MAX_LINE = 200;

/** The open problems of the rules that notify who is on call. */
export interface OpenProblems {
  total: number;
  /** The oldest of them. */
  problems: { text: string; since: number; acknowledgedBy: string }[];
}

/** What a message about a shift says. */
export interface ShiftNews {
  part: ShiftPart;
  /** Name and time zone of the schedule. */
  schedule: string;
  timezone: string;
  /** When the shift begins, and when it ends; null: not within a month. */
  from: number;
  to: number | null;
  /** Who is on call before, and in the shift; "" for nobody. */
  leaves: string;
  comes: string;
  open: OpenProblems;
}

function openLines({ total, problems }: OpenProblems, timeText: (at: number) => string): string[] {
  if (total === 0) return ["Nothing is open."];
  const lines = problems.map(({ text, since, acknowledgedBy }) => {
    const care = acknowledgedBy === "" ? "" : `, acknowledged by ${line(acknowledgedBy, MAX_NAME)}`;
    return `- ${line(text, MAX_LINE)} (since ${timeText(since)}${care})`;
  });
  const more = total - problems.length;
  return [`Open now: ${total}`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** Composes the message of a notice. @param at unix seconds */
export function composeShift(news: ShiftNews, at: number): Pick<AlertMessage, "title" | "text" | "events"> {
  const { part, timezone, from, to } = news;
  const timeText = (time: number) => zonedMinuteText(time, at, timezone);
  const [schedule, leaves, comes] = [news.schedule, news.leaves, news.comes].map((name) =>
    line(name, MAX_NAME),
  );
  const end = to === null ? "" : ` until ${timeText(to)}`;
  const before = leaves === "" ? "Nobody is on call before you." : `Before you: ${leaves}.`;
  const [title, sentences] = {
    before: [
      `On call from ${timeText(from)}: ${schedule}`,
      [`You are on call for ${schedule} from ${timeText(from)}${end}.`, before],
    ],
    begins: [`You are on call now: ${schedule}`, [`You are on call for ${schedule}${end}.`, before]],
    ends: [
      `Handed over: ${schedule}`,
      [
        `Your shift for ${schedule} is over.`,
        comes === "" ? `Nobody is on call now${end}.` : `${comes} is on call now${end}.`,
      ],
    ],
  }[part] as [string, string[]];
  return { title, text: [...sentences, "", ...openLines(news.open, timeText)].join("\n"), events: [] };
}
