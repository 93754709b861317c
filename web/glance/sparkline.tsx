const WIDTH = 64;
const HEIGHT = 18;

/** Parts of a line without gaps, as SVG points. */
function lines(values: readonly (number | null)[], highest: number): string[] {
  const step = WIDTH / Math.max(1, values.length - 1);
  const parts: string[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) parts.push([]);
    else {
      const y = HEIGHT - 1 - (Math.min(highest, Math.max(0, value)) / highest) * (HEIGHT - 2);
      parts.at(-1)?.push(`${(i * step).toFixed(1)},${y.toFixed(1)}`);
    }
  }
  return parts.map((part) => part.join(" ")).filter((points) => points.includes(" "));
}

/** The course of a percentage over the last day. The number beside it says what it is now. */
export function Sparkline({ values }: { values: readonly (number | null)[] | undefined }) {
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      {values && lines(values, 100).map((points) => <polyline key={points} points={points} />)}
    </svg>
  );
}
