/** The pages of the documentation, parsed as far as these tests need. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

const PAGES = ["*.md", "docs/**/*.md", "src/**/*.md"];

/** Paths from the root. */
export const pages: readonly string[] = PAGES.flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync(ROOT),
]).sort();

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

export interface Block {
  page: string;
  /** Line of the page, from 1. */
  line: number;
  /** The text after the fence; empty if there is none. */
  language: string;
  text: string;
}

const FENCE = /^([ \t]*)```(\S*)[^\n]*\n(.*?)^\1```$/gms;

/** The fenced blocks of a page. */
export function blocksOf(page: string): Block[] {
  const wholeText = textOf(page);
  return [...wholeText.matchAll(FENCE)].map(({ index, 2: language = "", 3: text = "" }) => ({
    page,
    line: wholeText.slice(0, index).split("\n").length,
    language,
    text,
  }));
}

/** The text outside of the blocks. */
export function proseOf(page: string): string {
  return textOf(page).replaceAll(FENCE, "");
}

/** The texts between single backticks; a line break within one is a space. */
export function codeSpansOf(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s*\n\s*/g, " "));
}

/** Targets of links and images. */
export function linksOf(page: string): string[] {
  const prose = proseOf(page).replaceAll(/`[^`]+`/g, "code");
  return [...prose.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);
}

/** The anchors that GitHub makes of the headings; the second of two equal ones gets a number. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let unique = anchor;
    for (let i = 1; anchors.has(unique); i++) unique = `${anchor}-${i}`;
    anchors.add(unique);
  }
  return anchors;
}
