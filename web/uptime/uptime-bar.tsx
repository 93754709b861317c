const DOWN = 3;
const HEIGHT = 12;
const CLASSES: readonly string[] = ["bar-gray", "bar-green", "bar-orange", "bar-red"];

/** When it was up and down. Downtime is higher, so that it is seen without colour. */
export function UptimeBar({ cells }: { cells: readonly number[] }) {
  // What is down now shows nothing green, not even its past.
  const isDown = cells.findLast((cell) => cell > 0) === DOWN;
  return (
    <svg
      class={isDown ? "uptime-bar silent" : "uptime-bar"}
      viewBox={`0 0 ${Math.max(1, cells.length) * 5} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {cells.map((cell, i) => {
        const height = cell === DOWN ? HEIGHT : 8;
        // A cell has no name of its own: its place is its key.
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
