import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { EventList, EventRecord, HostDetail, IncidentDetail } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatAbsolute } from "../text/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorMessage } from "../ui/states.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { PLAY } from "./play.texts.ts";
import { eventSteps, nextOf, playSpan, previousOf, stepsOf } from "./play-steps.ts";
import { Timeline } from "./timeline.tsx";
import { useReadAhead } from "./use-read-ahead.ts";

/** How many seconds pass in one second of play. */
const SPEED = 60;
/** The most events that are marked. */
const MAX_EVENTS = 500;
/** The incident is read as of now, not as of the moment shown, so that its time line is complete. */
const PRESENT = { present: true } as const;
const NO_EVENTS: readonly EventRecord[] = [];

/** Goes from step to step while it plays. It reads the next two steps ahead, and waits for one that is not read yet. */
function usePlaying(playing: Signal<boolean>, at: number, steps: readonly number[]) {
  const { router } = useMuster();
  const readAhead = useReadAhead();
  const { path } = router.address.value;
  useEffect(
    () => () => {
      playing.value = false;
    },
    [path],
  );
  useEffect(() => {
    if (!playing.value) return;
    const next = nextOf(steps, at);
    if (next === undefined) {
      playing.value = false;
      return;
    }
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const due = new Promise((done) => {
      timer = setTimeout(done, (1000 * (next - at)) / SPEED);
    });
    void Promise.all([due, readAhead(next)]).then(() => {
      if (isCurrent) router.setQuery({ at: String(next) });
    });
    const later = nextOf(steps, next);
    if (later !== undefined) void readAhead(next).then(() => readAhead(later));
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [playing.value, at, steps]);
  useEffect(() => {
    const onVisibilityChange = () => {
      if (document.hidden) playing.value = false;
    };
    document.addEventListener("visibilitychange", onVisibilityChange);
    return () => document.removeEventListener("visibilitychange", onVisibilityChange);
  }, []);
}

/** Chooses whether the host of the incident is played, or one of its groups. */
function PlaceChoice({ incident, group }: { incident: IncidentDetail; group: string }) {
  const { router } = useMuster();
  const host = useResource<HostDetail>("/status/hosts/get", { id: incident.hostid }, PRESENT).data.value;
  const groups = host?.records.host.groups ?? [];
  return (
    <Select
      label={PLAY.of}
      name="played"
      value={group}
      options={[
        ["", incident.hostname],
        ...groups.map(({ id, name }) => [String(id), PLAY.group(name)] as const),
      ]}
      onChange={(id) => router.go(id === "" ? `/hosts/${incident.hostid}` : `/hosts?group=${id}`)}
    />
  );
}

interface StepButtonProps {
  icon: IconName;
  label: string;
  /** The moment that it shows; undefined if there is none. */
  to: number | undefined;
  onShow: (at: number) => void;
}

function StepButton({ icon, label, to, onShow }: StepButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  // The last step disables the button, which loses the focus.
  useLayoutEffect(() => {
    const { current } = button;
    if (to === undefined && document.activeElement === current)
      current?.parentElement?.querySelector<HTMLElement>("button.primary")?.focus();
  }, [to]);
  return (
    <button
      ref={button}
      type="button"
      aria-label={label}
      title={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && onShow(to)}
    >
      <Icon name={icon} />
    </button>
  );
}

function Bar({ incident }: { incident: IncidentDetail }) {
  const { now, present, router } = useMuster();
  const at = now.value;
  const { path, query } = router.address.value;
  const group = path === "/hosts" ? (query.get("group") ?? "") : "";
  const { since, ended, hostid } = incident;
  const span = useMemo(() => playSpan(since, present.peek()), [since]);
  const place = group === "" ? { hostid } : { hostgroupid: group };
  const args = { ...place, datefrom: span.from, dateto: span.to, results: MAX_EVENTS };
  const list = useResource<EventList>("/reports/events/list", args, PRESENT).data.value;
  const events = list?.records ?? NO_EVENTS;
  const times = useMemo(() => [since, ended, ...events.map(({ date }) => date)], [since, ended, events]);
  const steps = useMemo(() => stepsOf(span, times), [span, times]);
  const atEvents = useMemo(() => eventSteps(span, times), [span, times]);
  const playing = useSignal(false);
  usePlaying(playing, at, steps);
  const show = (to: number) => router.setQuery({ at: String(to) });
  const toggle = () => {
    playing.value = !playing.peek();
    if (playing.peek() && nextOf(steps, at) === undefined) show(span.from);
  };
  return (
    <>
      <div class="play-controls">
        <StepButton icon="previous" label={PLAY.previous} to={previousOf(atEvents, at)} onShow={show} />
        <button type="button" class="primary" title={PLAY.speed} onClick={toggle}>
          <Icon name={playing.value ? "pause" : "play"} />
          {playing.value ? PLAY.pause : PLAY.play}
        </button>
        <StepButton icon="next" label={PLAY.next} to={nextOf(atEvents, at)} onShow={show} />
        <span class="play-time">{formatAbsolute(at)}</span>
        <PlaceChoice incident={incident} group={group} />
      </div>
      <Timeline span={span} at={at} steps={steps} events={events} incident={incident} onShow={show} />
    </>
  );
}

/** Plays the incident that the address names, on the page above it. Leaving that page, or hiding it, pauses. */
export function Play() {
  const { router } = useMuster();
  const id = router.address.value.query.get("play");
  const { data, error } = useResource<IncidentDetail>("/incidents/get", { id }, PRESENT);
  const close = () => {
    router.setQuery({ play: null });
    keepFocus();
  };
  return (
    <section class="play" aria-label={PLAY.label}>
      {error.value && <ErrorMessage error={error.value} />}
      {data.value && <Bar key={data.value.id} incident={data.value} />}
      <button type="button" class="quiet play-close" onClick={close}>
        <Icon name="close" />
        <span class="sr-only">{PLAY.close}</span>
      </button>
    </section>
  );
}
