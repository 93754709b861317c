import { CHARTS } from "./charts.texts.ts";
import type { Marks } from "./marks.ts";
import type { TimeSpan } from "./range.ts";

const EVENT_MARKS = [
  [1, CHARTS.marks.failure, "mark-failure"],
  [0, CHARTS.marks.recovery, "mark-recovery"],
  [2, CHARTS.marks.change, "mark-change"],
] as const;

interface MarkLegendProps {
  marks: Marks;
  /** Number of events in the time span. */
  total: number;
  hostId: number;
  nameId: number | null;
  span: TimeSpan;
}

/** Explains the marks on the charts, with a link to their events. */
export function MarkLegend({ marks, total, hostId, nameId, span }: MarkLegendProps) {
  if (total === 0 && marks.maintenance.length === 0) return null;
  const service = nameId === null ? "" : `&servicenameid=${nameId}`;
  const kinds = EVENT_MARKS.filter(([state]) => marks.events.some((event) => event.state === state));
  return (
    <p class="chart-marks">
      {kinds.map(([state, text, name]) => (
        <span key={state}>
          <i class={`mark ${name}`} aria-hidden="true" />
          {text}
        </span>
      ))}
      {marks.maintenance.length > 0 && (
        <span>
          <i class="mark mark-maintenance" aria-hidden="true" />
          {CHARTS.marks.maintenance}
        </span>
      )}
      {total > 0 && (
        <a href={`/events?hostid=${hostId}${service}&datefrom=${span.from}&dateto=${span.to}`}>
          {CHARTS.eventsInRange(total)}
        </a>
      )}
    </p>
  );
}
