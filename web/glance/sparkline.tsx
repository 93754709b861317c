const WIDTH = 80;
const HEIGHT = 24;

/** Parts of a line without gaps, as paths in an SVG. */
function lines(values: readonly (number | null)[], highest: number): { line: string; area: string }[] {
  const step = WIDTH / Math.max(1, values.length - 1);
  const parts: [x: string, y: string][][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) parts.push([]);
    else {
      const y = HEIGHT - 1 - (Math.min(highest, Math.max(0, value)) / highest) * (HEIGHT - 2);
      parts.at(-1)?.push([(i * step).toFixed(1), y.toFixed(1)]);
    }
  }
  return parts
    .filter((points) => points.length > 1)
    .map((points) => ({
      line: `M${points.join("L")}`,
      area: `M${points[0]?.[0]},${HEIGHT}L${points.join("L")}V${HEIGHT}Z`,
    }));
}

const LEVELS = ["", "level-raised", "level-high"];

/** Class of a value by the limit that it exceeds: 1 warning, 2 critical or a limit of the agent; 0 none. */
export function levelClass(exceeded = 0, base = "level"): string {
  return [base, LEVELS[exceeded] ?? ""].filter(Boolean).join(" ");
}

interface SparklineProps {
  values: readonly (number | null)[] | undefined;
  /** Value at the upper edge, 100 for percentages. Null: the highest of the values. */
  highest?: number | null;
}

/** A metric over the last day. The text beside it gives the current value. */
export function Sparkline({ values, highest = 100 }: SparklineProps) {
  const top = highest ?? Math.max(Number.MIN_VALUE, ...(values ?? []).map((value) => value ?? 0));
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      {values &&
        lines(values, top).map(({ line, area }) => (
          <g key={line}>
            <path class="sparkline-area" d={area} />
            <path d={line} />
          </g>
        ))}
    </svg>
  );
}
