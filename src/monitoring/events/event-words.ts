/**
 * Splits text into the words by which events are found. A word is a run of letters and digits, in lower case. Of each
 * word of a message, only the letters before the first digit are indexed: "sda1" as "sda", "92.5" not at all.
 * Messages that differ only in numbers thus share one entry of the index. A search for "sda1" finds the entries of
 * "sda" and then compares the message itself.
 */
import { truncate } from "../../monit/elements.ts";
import { sortKey } from "../../platform/sort-key.ts";

/** The most words of a message that are indexed. Further ones are not found, so that a hostile message stays cheap. */
const MAX_INDEXED_WORDS = 50;
/** The most UTF-16 code units of a word that are indexed. The rest of a longer word is compared with the message. */
const MAX_INDEXED_LENGTH = 24;
/** The most words of a search. Further ones are ignored. */
export const MAX_SEARCHED_WORDS = 8;

const LETTERS_OF_WORDS = /(?<![\p{L}\p{M}\p{N}])\p{L}[\p{L}\p{M}]*/gu;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/** The indexed words of a message: distinct, in order, separated by spaces. Empty if there is none. */
export function indexedWords(message: string): string {
  const words = new Set<string>();
  for (const [letters] of sortKey(message).matchAll(LETTERS_OF_WORDS)) {
    words.add(truncate(letters, MAX_INDEXED_LENGTH));
    if (words.size === MAX_INDEXED_WORDS) break;
  }
  return [...words].sort().join(" ");
}

/** A word of a search. It finds every word that begins with it. */
export interface SearchedWord {
  /** The word, in lower case. */
  word: string;
  /** Its letters before the first digit, up to the indexed length; empty if it begins with a digit. */
  letters: string;
  /** Whether the index cannot decide and the message itself must be compared. */
  needsComparison: boolean;
}

/** The distinct words of a search. */
export function searchedWords(text: string): SearchedWord[] {
  const words = new Set(sortKey(text).match(WORDS) ?? []);
  return [...words].slice(0, MAX_SEARCHED_WORDS).map((word) => {
    const run = /^\p{L}[\p{L}\p{M}]*/u.exec(word)?.[0] ?? "";
    return {
      word,
      letters: truncate(run, MAX_INDEXED_LENGTH),
      needsComparison: run !== word || run.length > MAX_INDEXED_LENGTH,
    };
  });
}

/** The words of a search; if it has no letter and no digit, what its spaces separate, as in "🔥 !". */
export function searchedParts(text: string): string[] {
  const words = searchedWords(text).map(({ word }) => word);
  if (words.length > 0) return words;
  const signs = sortKey(text)
    .split(/\s+/)
    .filter((sign) => sign !== "");
  return signs.slice(0, MAX_SEARCHED_WORDS);
}
