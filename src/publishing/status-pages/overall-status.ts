/**
 * The overall status of a page, and the symbols of LEDs. Their shapes differ, so colour is not needed to tell
 * them apart.
 */
import type { PublicStatus } from "./public-statuses.ts";

export type Tone = "red" | "orange" | "green" | "gray";

/** Indexed by LED code. */
const TONES: readonly Tone[] = ["red", "orange", "green", "gray"];
export const MARKS: Readonly<Record<Tone, string>> = { red: "✕", orange: "▲", green: "●", gray: "○" };
export const WORDS: Readonly<Record<Tone, string>> = {
  red: "Down",
  orange: "Degraded",
  green: "OK",
  gray: "No data",
};

/** The tone of an LED; an unknown code is gray. */
export function toneOf(led: number): Tone {
  return TONES[led] ?? "gray";
}

/** Overall status of a group. Failures take precedence, and hosts without data never count as operational. */
export function overallStatusOf({ leds, total }: PublicStatus): { tone: Tone; text: string } {
  const affected = leds.red + leds.orange;
  if (affected > 0) {
    const tone = leds.red > 0 ? "red" : "orange";
    return { tone, text: `${affected} of ${total} ${total === 1 ? "host has" : "hosts have"} problems` };
  }
  if (leds.green === 0) return { tone: "gray", text: "No data" };
  if (leds.gray > 0)
    return { tone: "gray", text: `${leds.green} of ${total} hosts operational, no data from the others` };
  return { tone: "green", text: "All operational" };
}
