const DOWN = 3;
const HEIGHT = 12;
const CLASSES: readonly string[] = ["bar-gray", "bar-green", "bar-orange", "bar-red"];

/** Up- and downtime in cells. Downtime has higher bars, so that colour is not needed. */
export function UptimeBar({ cells }: { cells: readonly number[] }) {
  return (
    <svg
      class="uptime-bar"
      viewBox={`0 0 ${Math.max(1, cells.length) * 5} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {cells.map((cell, i) => {
        const height = cell === DOWN ? HEIGHT : 8;
        // Cells have no names of their own: their position is their key.
        return (
          <rect
            key={i}
            class={CLASSES[cell]}
            x={i * 5}
            y={(HEIGHT - height) / 2}
            width="4.4"
            height={height}
          />
        );
      })}
    </svg>
  );
}
