import { MutedIcon } from "../alerting/muted.tsx";
import type { FleetTop, LedCode } from "../api/types.ts";
import { levelClass, Sparkline } from "../glance/sparkline.tsx";
import { formatValue } from "../text/statistics.ts";
import { Led } from "../ui/led.tsx";
import { FLEET } from "./fleet.texts.ts";
import { type FleetMetric, isPercent } from "./metrics.ts";

type Row = FleetTop["records"][number];

/** Length of a full bar. */
const WIDTH = 100;

/** A bar from 0 to the value; for percentages the whole width is 100. */
function Bar({ value, highest }: { value: number; highest: number }) {
  const width = highest > 0 ? Math.min(1, Math.max(0, value / highest)) * WIDTH : 0;
  return (
    <svg class="fleet-bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="fleet-bar-back" width={WIDTH} height="8" />
      <rect class="fleet-bar-value" width={width} height="8" />
    </svg>
  );
}

/** A name in a row, and the way to what it names, if there is one. */
function Name({ text, href, kind = "" }: { text: string; href: string | undefined; kind?: string }) {
  const look = { class: `cut ${kind}`, title: text };
  return href === undefined ? (
    <span {...look}>{text}</span>
  ) : (
    <a {...look} href={href}>
      {text}
    </a>
  );
}

interface TopListProps {
  metric: FleetMetric;
  rows: readonly Row[];
  /** The choice of hosts for the chart; absent on a wall, where nobody is signed in to follow the links either. */
  choice?: {
    hostIds: readonly number[];
    /** Whether no more hosts can be chosen. */
    isFull: boolean;
    /** Called with a host to add to the chart or to remove from it. */
    onToggle: (hostId: number) => void;
  };
}

/** The top of the ranking by a metric, each host with a bar and its values over the last day. */
export function TopList({ metric, rows, choice }: TopListProps) {
  const highest = isPercent(metric) ? 100 : Math.max(0, ...rows.map(({ value }) => value));
  const peak = isPercent(metric) ? 100 : null;
  return (
    <ol class="fleet-top" aria-label={metric.text}>
      {rows.map((row) => {
        const isChosen = choice?.hostIds.includes(row.hostid) ?? false;
        const isRefused = choice?.isFull === true && !isChosen;
        return (
          <li key={row.hostid} class={levelClass(row.exceeded, "")}>
            {choice && (
              <label class="select-area">
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isRefused}
                  title={isRefused ? FLEET.compareFull : undefined}
                  aria-label={FLEET.compare(row.hostname)}
                  onChange={() => choice.onToggle(row.hostid)}
                />
              </label>
            )}
            <Led led={row.led as LedCode} words="sr-only" />
            <span class="fleet-host">
              <Name href={choice && `/hosts/${row.hostid}`} text={row.hostname} />
              {row.servicename !== row.hostname && (
                <Name
                  kind="fleet-service"
                  href={choice && `/hosts/${row.hostid}/services/${row.serviceid}`}
                  text={row.servicename}
                />
              )}
              <MutedIcon muted={row.muted} words />
            </span>
            <Bar value={row.value} highest={highest} />
            <Sparkline values={row.course} highest={peak} />
            <strong class="fleet-value level-value">{formatValue(metric.types[0] ?? 0, row.value)}</strong>
          </li>
        );
      })}
    </ol>
  );
}
