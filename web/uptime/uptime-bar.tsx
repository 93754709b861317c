/** The shares of uptime and downtime. Any downtime is drawn wide enough to be visible. */
export function UptimeBar({ percent }: { percent: number }) {
  const down = percent >= 100 ? 0 : Math.max(0.6, 100 - percent);
  return (
    <svg
      class="uptime-bar"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect class="bar-green" width={100 - down} height="8" />
      <rect class="bar-red" x={100 - down} width={down} height="8" />
    </svg>
  );
}
