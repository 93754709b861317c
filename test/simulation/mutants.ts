/** Small random faults in source files, which a thorough simulation has to detect. */
import type { Random } from "../support/random.ts";

/** One change of a source text. */
export interface Mutant {
  file: string;
  line: number;
  /** The replaced text and its replacement. */
  from: string;
  to: string;
  text: string;
}

interface Change {
  start: number;
  end: number;
  to: string;
}

const SWAPPED: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  true: "false",
  false: "true",
};
/** Strings, templates and comments, whose contents are not code. */
const NO_CODE = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;
/** Type annotations, and texts for people. */
const NO_CHANGE =
  /^\s*(?:import|export (?:type|interface|\*)|type|interface|readonly|\}? ?from)\b|\blog\.|throw |^\s*[|&] /;
/** Sizes of batches and caches: one more or less changes only the speed. */
const ONLY_SPEED = /\b(?:\w*BATCH|BUDGET|\w+_MS|\w+_SHARE|\w+_PER_STEP|MAX_(?:BATCH|FILTERS|READABLE)\w*)\b/;
const OPERATOR = /(?<= )(?:<=?|>=?|===|!==|&&|\|\||\?\?|\+|-)(?= )|\b(?:true|false)\b/g;
const NUMBER = /(?<![\w.#$"])\d[\d_]*(?![\w.])/g;
const NOT = /(?<=[( ])!(?=[\w#(])/g;
/** A statement on a line of its own: a call, or an assignment; with the condition before it. */
const STATEMENT = /^ +(?:if \(.*\) |else )?(?:this|[\w#]+(?:\.[\w#?]+)*\(|[\w#.[\]]+ (?:[-+?|&]{0,2})= ).*;$/;
const DECLARATION = /^ +(?:const|let|return|throw|break|continue|private|readonly|static|for|while)\b/;

/** All changes that a file allows. */
function changesOf(text: string): Change[] {
  // Keeps the length, so that positions stay the same.
  const code = text.replaceAll(NO_CODE, (text) => text.replaceAll(/[^\n]/g, "_"));
  const changes: Change[] = [];
  let at = 0;
  for (const line of code.split("\n")) {
    const start = at;
    at += line.length + 1;
    if (NO_CHANGE.test(line) || ONLY_SPEED.test(line)) continue;
    const add = ({ index, 0: from }: RegExpExecArray, to: string) =>
      changes.push({ start: start + index, end: start + index + from.length, to });
    for (const match of line.matchAll(OPERATOR)) add(match, SWAPPED[match[0]] ?? "");
    for (const match of line.matchAll(NOT)) add(match, "");
    for (const match of line.matchAll(NUMBER)) {
      const value = Number(match[0].replaceAll("_", ""));
      add(match, String(value + 1));
      if (value > 0) add(match, String(value - 1));
    }
    if (STATEMENT.test(line) && !DECLARATION.test(line))
      changes.push({ start, end: start + line.length, to: ";" });
  }
  return changes;
}

/** One of the changes that a file allows, each as likely as the others; null when there is none. */
export function mutate(file: string, text: string, random: Random): Mutant | null {
  const changes = changesOf(text);
  if (changes.length === 0) return null;
  const { start, end, to } = random.pick(changes);
  const line = text.slice(0, start).split("\n").length;
  return { file, line, from: text.slice(start, end), to, text: text.slice(0, start) + to + text.slice(end) };
}
