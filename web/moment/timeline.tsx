import { useSignal } from "@preact/signals";
import type { EventRecord, IncidentDetail } from "../api/types.ts";
import { formatAbsolute, formatClock } from "../text/format.ts";
import { PLAY } from "./play.texts.ts";
import { nextOf, type PlaySpan, previousOf } from "./play-steps.ts";

/** Classes of marks by the state of the event. */
const CLASSES = ["bar-green", "bar-red", "bar-blue"] as const;
const WIDTH = 1000;

interface TimelineProps {
  span: PlaySpan;
  at: number;
  /** The moments that are played, in order. */
  steps: readonly number[];
  events: readonly EventRecord[];
  incident: IncidentDetail;
  onShow: (at: number) => void;
}

/** When something happened. The incident itself is a line as long as it lasted. */
function Marks({ span, events, incident }: Pick<TimelineProps, "span" | "events" | "incident">) {
  const place = (time: number) =>
    (Math.max(0, Math.min(1, (time - span.from) / (span.to - span.from))) * WIDTH).toFixed(1);
  const { since, ended } = incident;
  const [from, to] = [place(since), place(ended || span.to)];
  return (
    <svg class="play-marks" viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="play-incident" x={from} y="12" width={Math.max(2, Number(to) - Number(from))} height="4">
        <title>{PLAY.began(formatAbsolute(since))}</title>
      </rect>
      {events.map(({ id, date, eventtype, hostname, servicename, event }) => (
        <rect key={id} class={CLASSES[eventtype]} x={place(date)} y="0" width="3" height="12">
          <title>{PLAY.event(formatAbsolute(date), hostname, servicename, event)}</title>
        </rect>
      ))}
    </svg>
  );
}

/** The time line of an incident as a slider. Arrow keys go from step to step. */
export function Timeline({ span, at, steps, events, incident, onShow }: TimelineProps) {
  const dragged = useSignal<number | null>(null);
  const shown = dragged.value ?? at;
  const show = (time: number | undefined) => {
    dragged.value = null;
    if (time !== undefined) onShow(time);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => show(previousOf(steps, at)),
    ArrowDown: () => show(previousOf(steps, at)),
    ArrowRight: () => show(nextOf(steps, at)),
    ArrowUp: () => show(nextOf(steps, at)),
    Home: () => show(span.from),
    End: () => show(span.to),
  };
  return (
    <div class="play-line">
      <Marks span={span} events={events} incident={incident} />
      <input
        type="range"
        min={span.from}
        max={span.to}
        step={1}
        value={shown}
        aria-label={PLAY.time}
        aria-valuetext={formatAbsolute(shown)}
        onInput={(event) => {
          dragged.value = event.currentTarget.valueAsNumber;
        }}
        onChange={(event) => show(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (!act) return;
          event.preventDefault();
          act();
        }}
      />
      <div class="axis" aria-hidden="true">
        <span>{formatClock(span.from)}</span>
        <span>{formatClock(span.to)}</span>
      </div>
    </div>
  );
}
