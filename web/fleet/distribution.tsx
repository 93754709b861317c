import type { FleetTop } from "../api/types.ts";
import { formatTick, formatValue } from "../text/statistics.ts";
import { FLEET } from "./fleet.texts.ts";

const HEIGHT = 60;
const BAR = 10;

/** Position of a value between the ends of the chart, 0 to 1; the middle if all hosts have the same value. */
function shareOf(value: number, from: number, to: number): number {
  return to > from ? (value - from) / (to - from) : 0.5;
}

/** How many hosts have which values, with a line at the median. */
export function Distribution({ top, type }: { top: FleetTop; type: number }) {
  const { distribution: bins, median, totalRecords } = top;
  const text = (value: number) => formatTick(type, value);
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last || median === null) return null;
  const maxHosts = Math.max(...bins.map(({ hosts }) => hosts));
  const width = bins.length * BAR;
  const share = shareOf(median, first.from, last.to);
  return (
    <figure class="fleet-distribution">
      <p class="fleet-median" style={{ "--share": String(share) }}>
        <strong>{FLEET.median(formatValue(type, median))}</strong>
      </p>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={FLEET.distributionText(
          totalRecords,
          text(first.from),
          text(last.to),
          formatValue(type, median),
        )}
      >
        {bins.map((bin, i) => {
          // A single host among thousands must still be visible.
          const height = bin.hosts === 0 ? 0 : Math.max(2, (bin.hosts / maxHosts) * HEIGHT);
          return (
            <g key={bin.from}>
              <title>{FLEET.bin(bin.hosts, text(bin.from), text(bin.to))}</title>
              <rect class="bar-back" x={i * BAR} width={BAR} height={HEIGHT} />
              <rect
                class="fleet-bar-value"
                x={i * BAR + 1}
                y={HEIGHT - height}
                width={BAR - 2}
                height={height}
              />
            </g>
          );
        })}
        <line class="fleet-median-line" x1={share * width} x2={share * width} y1="0" y2={HEIGHT} />
      </svg>
      <figcaption>
        <span>{text(first.from)}</span>
        <span>{text(last.to)}</span>
      </figcaption>
    </figure>
  );
}
