/** What moved before a failure, as a line of its message. Pure. */
import { STATISTIC_NAMES, STATISTIC_UNITS, VALUE_WORDS } from "../../monit/statistic-types.ts";
import { sizeText, typedValueText } from "../../monitoring/limits/limit-message.ts";
import { zonedParts } from "../../platform/date-text.ts";

/** How many moves a line names. */
export const NAMED_MOVES = 3;

/** One thing that moved, as the list of an incident has it. */
export interface FirstMove {
  /** Unix seconds. */
  date: number;
  /** Moves of the same number cannot be put in order. */
  tie: number;
  servicename: string;
  /** What happened, or the name of the metric. */
  what: string;
  /** Code of the type of statistic; null if it is not a metric. */
  type: number | null;
  /** Which of several metrics of that type, from the agent; empty if there is one. */
  descriptor: string;
  of: "level" | "spread" | "code" | null;
  from: number | null;
  to: number | null;
}

/** "up", "2 ms", "1.5 MiB/s": rates in units that show the change. */
function valueText(type: number, value: number): string {
  const word = VALUE_WORDS[type]?.[value];
  if (word !== undefined) return word;
  return STATISTIC_UNITS[type] === "bytes/s" ? `${sizeText(value)}/s` : typedValueText(type, value);
}

function changeOf({ type, of, from, to }: FirstMove): string {
  if (type === null || from === null || to === null) return "";
  const [before, after] = [valueText(type, from), valueText(type, to)];
  return of === "spread" ? ` (varies by ${after}, previously by ${before})` : ` (${before} to ${after})`;
}

/** A move as a part of the line. @param clean makes a short line of an agent's text */
function textOf(move: FirstMove, timeZone: string, clean: (text: string) => string): string {
  const { servicename, what, type, descriptor, date } = move;
  const which = descriptor === "" ? "" : ` ${clean(descriptor)}`;
  const name = (type === null ? clean(what) : (STATISTIC_NAMES[type] ?? clean(what))) + which;
  const of = servicename === "" ? "" : `${clean(servicename)}: `;
  return `${zonedParts(date, timeZone).minute} ${of}${name}${changeOf(move)}`;
}

/**
 * The line; empty if nothing moved. What cannot be put in order is joined by "and", the rest by "then".
 * @param moves in the order of time @param timeZone an IANA name
 */
export function movedLine(
  moves: readonly FirstMove[],
  timeZone: string,
  clean: (text: string) => string,
): string {
  const parts = moves.slice(0, NAMED_MOVES).map((move, i) => {
    const previous = moves[i - 1];
    const joint = previous === undefined ? "" : previous.tie === move.tie ? " and " : ", then ";
    return joint + textOf(move, timeZone, clean);
  });
  return parts.length === 0 ? "" : `Moved first: ${parts.join("")}`;
}
