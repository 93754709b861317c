/** A status page's verdict in words, and the marks of LEDs. Shapes differ, so that nobody has to tell colours apart. */
import type { PublicStatus } from "./status-pages.service.ts";

export type Tone = "red" | "orange" | "green" | "gray";

/** By LED code. */
const TONES: readonly Tone[] = ["red", "orange", "green", "gray"];
const MARKS: Readonly<Record<Tone, string>> = { red: "✕", orange: "▲", green: "●", gray: "○" };
const WORDS: Readonly<Record<Tone, string>> = {
  red: "Failing",
  orange: "Impaired",
  green: "Operational",
  gray: "No data",
};

export function toneOf(led: number): Tone {
  return TONES[led] ?? "gray";
}

export function markOf(tone: Tone): string {
  return MARKS[tone];
}

export function wordOf(tone: Tone): string {
  return WORDS[tone];
}

/** The whole group in one tone and one phrase: what fails counts first, and what is unknown never passes for good. */
export function overallStatusOf({ leds, total }: PublicStatus): { tone: Tone; text: string } {
  const affected = leds.red + leds.orange;
  if (affected > 0) {
    const tone = leds.red > 0 ? "red" : "orange";
    return { tone, text: `${affected} of ${total} ${total === 1 ? "host has" : "hosts have"} problems` };
  }
  if (leds.green === 0) return { tone: "gray", text: "No data" };
  if (leds.gray > 0)
    return { tone: "gray", text: `${leds.green} of ${total} hosts operational, no data of the others` };
  return { tone: "green", text: "All operational" };
}
