import type { FleetTop } from "../api/types.ts";
import { formatTick, formatValue } from "../text/statistics.ts";
import { FLEET } from "./fleet.texts.ts";

const HEIGHT = 60;
const BAR = 10;

/** How many hosts have how much of the number. */
export function Distribution({ top, type }: { top: FleetTop; type: number }) {
  const { distribution: bins, median, totalRecords } = top;
  const text = (value: number) => formatTick(type, value);
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last || median === null) return null;
  const most = Math.max(...bins.map(({ hosts }) => hosts));
  return (
    <figure class="fleet-distribution">
      <svg
        viewBox={`0 0 ${bins.length * BAR} ${HEIGHT}`}
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
          // One host among thousands is still seen.
          const height = bin.hosts === 0 ? 0 : Math.max(2, (bin.hosts / most) * HEIGHT);
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
      </svg>
      <figcaption>
        <span>{text(first.from)}</span>
        <strong>{FLEET.median(formatValue(type, median))}</strong>
        <span>{text(last.to)}</span>
      </figcaption>
    </figure>
  );
}
