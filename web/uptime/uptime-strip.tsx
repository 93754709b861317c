import type { UptimeBars } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatAbsolute, formatDate, formatDuration, formatUptime } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { UPTIME } from "./uptime.texts.ts";

const REFRESH_SECONDS = 60;
const WEEK = 5;
/** Time slices of two hours. */
const CELLS = 84;
const HEIGHT = 10;

type Cell = UptimeBars["cells"][number];

function CellBar({ cell, x }: { cell: Cell; x: number }) {
  const counted = cell.up + cell.down;
  // Any downtime is drawn high enough to be visible.
  const down = cell.down > 0 ? Math.max(0.25, cell.down / counted) * HEIGHT : 0;
  const words = counted === 0 ? UPTIME.notCounted : UPTIME.down(formatDuration(cell.down));
  return (
    <g>
      <title>{UPTIME.cell(formatAbsolute(cell.datefrom), words)}</title>
      <rect class={counted === 0 ? "bar-gray" : "bar-green"} x={x} width="0.8" height={HEIGHT - down} />
      <rect class="bar-red" x={x} y={HEIGHT - down} width="0.8" height={down} />
    </g>
  );
}

interface UptimeStripProps {
  hostId: number;
  /** Name of a service of the host; without it, the strip shows the host itself. */
  service?: string;
}

/** When a host or service was down during the last week. */
export function UptimeStrip({ hostId, service }: UptimeStripProps) {
  const { at } = useMuster();
  const bars = useResource<UptimeBars>(
    "/reports/uptime/bars",
    { id: hostId, service, range: WEEK, cells: CELLS },
    { every: REFRESH_SECONDS },
  );
  return (
    <Section title={UPTIME.week} aside={<a href={`/uptime/${hostId}?range=${WEEK}`}>{UPTIME.report}</a>}>
      <Loaded from={bars}>
        {({ cells, datefrom }) => {
          const up = cells.reduce((sum, cell) => sum + cell.up, 0);
          const down = cells.reduce((sum, cell) => sum + cell.down, 0);
          const percent = up + down === 0 ? 100 : (100 * up) / (up + down);
          return (
            <figure class="histogram">
              <svg
                class="strip"
                viewBox={`0 0 ${cells.length} ${HEIGHT}`}
                preserveAspectRatio="none"
                aria-hidden="true"
                focusable="false"
              >
                {cells.map((cell, x) => (
                  <CellBar key={cell.datefrom} cell={cell} x={x} />
                ))}
              </svg>
              <div class="axis" aria-hidden="true">
                <span>{formatDate(datefrom)}</span>
                <span>{at.value === null ? UPTIME.now : formatDate(at.value)}</span>
              </div>
              <figcaption>
                {up + down === 0
                  ? UPTIME.nothingCounted
                  : UPTIME.upAndDown(formatUptime(percent), formatDuration(down))}
              </figcaption>
            </figure>
          );
        }}
      </Loaded>
    </Section>
  );
}
