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

interface SparklineProps {
  values: readonly (number | null)[] | undefined;
  /** Value at the upper edge; 100 for percentages. Null: the highest of the values. */
  highest?: number | null;
}

/** The course of a number over the last day. The text beside it says what it is now. */
export function Sparkline({ values, highest = 100 }: SparklineProps) {
  const top = highest ?? Math.max(Number.MIN_VALUE, ...(values ?? []).map((value) => value ?? 0));
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      {values && lines(values, top).map((points) => <polyline key={points} points={points} />)}
    </svg>
  );
}
