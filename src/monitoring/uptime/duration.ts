const UNITS: readonly (readonly [seconds: number, letter: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
  [1, "s"],
];

/** Formats seconds in their two largest units, without a second one of zero: "2d 3h", "10m", "0s". */
export function durationText(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  const firstUnit = UNITS.findIndex(([size]) => wholeSeconds >= size);
  if (firstUnit === -1) return "0s";
  let remaining = wholeSeconds;
  const parts = UNITS.slice(firstUnit, firstUnit + 2).map(([size, letter]) => {
    const n = Math.floor(remaining / size);
    remaining -= n * size;
    return n > 0 ? `${n}${letter}` : "";
  });
  return parts.filter(Boolean).join(" ");
}
