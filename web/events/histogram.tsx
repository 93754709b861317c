import type { EventsSummary } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatClock } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { HISTOGRAM } from "./histogram.texts.ts";

const REFRESH_SECONDS = 60;
/** Samples of ten minutes in one bar. */
const SAMPLES_PER_BAR = 3;
const HEIGHT = 40;
const CLASSES: Readonly<Record<string, string>> = {
  Failed: "bar-red",
  Changed: "bar-blue",
  Succeeded: "bar-green",
};

/** "3 failures": a count with the label of its kind. */
function kindText(count: number, label: string): string {
  const texts: Readonly<Record<string, (count: number) => string>> = HISTOGRAM.kinds;
  return texts[label]?.(count) ?? HISTOGRAM.otherKind(count, label);
}

interface Bar {
  at: number;
  counts: { label: string; count: number }[];
  total: number;
}

/** Sums the ten-minute samples to half-hour bars. */
export function barsOf(summary: EventsSummary): Bar[] {
  const times = summary.events[0]?.data.map(([at]) => at) ?? [];
  const bars: Bar[] = [];
  for (let from = 0; from < times.length; from += SAMPLES_PER_BAR) {
    const counts = summary.events.map(({ label, data }) => ({
      label,
      count: data.slice(from, from + SAMPLES_PER_BAR).reduce((sum, [, count]) => sum + count, 0),
    }));
    bars.push({ at: times[from] ?? 0, counts, total: counts.reduce((sum, { count }) => sum + count, 0) });
  }
  return bars;
}

function Stack({ bar, x, highest }: { bar: Bar; x: number; highest: number }) {
  let top = HEIGHT;
  const words = bar.counts.filter(({ count }) => count > 0).map(({ label, count }) => kindText(count, label));
  return (
    <g>
      <title>{HISTOGRAM.bar(formatClock(bar.at), words.join(", ") || HISTOGRAM.noneInBar)}</title>
      <rect class="bar-back" x={x} y={0} width={1} height={HEIGHT} />
      {bar.counts.map(({ label, count }) => {
        const height = (count / highest) * (HEIGHT - 1);
        top -= height;
        return <rect key={label} class={CLASSES[label]} x={x + 0.1} y={top} width={0.8} height={height} />;
      })}
    </g>
  );
}

/** Events of the last 24 hours, or of those before the shown moment. */
export function Histogram() {
  const { at, now } = useMuster();
  const summary = useResource<EventsSummary>("/reports/events/summary", {}, { every: REFRESH_SECONDS });
  return (
    <Section title={HISTOGRAM.title} aside={<a href="/events">{HISTOGRAM.all}</a>}>
      <Loaded from={summary}>
        {(data) => {
          const bars = barsOf(data);
          const highest = Math.max(1, ...bars.map((bar) => bar.total));
          const totals = data.events.map(
            ({ label, data: samples }) =>
              [label, samples.reduce((sum, [, count]) => sum + count, 0)] as const,
          );
          const hours = [0, 6, 12, 18].map((hour) => formatClock(data.datefrom + hour * 3600));
          return (
            <figure class="histogram">
              <svg
                viewBox={`0 0 ${bars.length} ${HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={HISTOGRAM.label}
              >
                {bars.map((bar, x) => (
                  <Stack key={bar.at} bar={bar} x={x} highest={highest} />
                ))}
              </svg>
              <div class="axis" aria-hidden="true">
                {hours.map((hour) => (
                  <span key={hour}>{hour}</span>
                ))}
                <span>{at.value === null ? HISTOGRAM.now : formatClock(now.value)}</span>
              </div>
              <figcaption>
                {totals.map(([label, count]) => (
                  <span key={label} class="legend">
                    <svg viewBox="0 0 10 10" aria-hidden="true">
                      <rect class={CLASSES[label]} width="10" height="10" rx="2" />
                    </svg>
                    {kindText(count, label)}
                  </span>
                ))}
                {bars.some(({ total }) => total > 0) && (
                  <span class="muted">{HISTOGRAM.highest(highest)}</span>
                )}
              </figcaption>
            </figure>
          );
        }}
      </Loaded>
    </Section>
  );
}
