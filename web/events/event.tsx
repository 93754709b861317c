import { EventNotifications } from "../alerting/event-notifications.tsx";
import type { EventDetail, EventRecord, IncidentDetail } from "../api/types.ts";
import { addressAt } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { formatDuration } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Icon } from "../ui/icon.tsx";
import { EventState } from "../ui/led.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { EventChanges } from "./event-changes.tsx";
import { EventChart } from "./event-chart.tsx";
import { EventNotes } from "./event-notes.tsx";
import { EVENT } from "./events.texts.ts";
import { type Problem, ProblemActions, problemOf } from "./problem-actions.tsx";
import {
  failedName,
  failingText,
  isLasting,
  problemSince,
  problemText,
  ServiceLink,
} from "./problem-list.tsx";
import { ProblemMarks } from "./problem-marks.tsx";

const LIVE_SECONDS = 5;

/** The event as it appears in lists, for components that lists and this page share. */
function recordOf(event: EventDetail): EventRecord {
  return {
    ...event,
    hostname: event.host,
    servicenameid: 0,
    event: event.message,
    eventtype: event.eventstate,
    note: event.note.length > 0 ? 1 : 0,
  };
}

/** What happened, where, since when and for how long. */
function EventFacts({ event }: { event: EventDetail }) {
  const { now } = useMuster();
  const { fact } = EVENT;
  const over = event.since > 0 && event.ended > 0;
  const since = problemSince(recordOf(event));
  return (
    <Facts
      facts={[
        [fact.service, <ServiceLink event={recordOf(event)} />],
        [fact.host, <a href={`/hosts/${event.hostid}`}>{event.host}</a>],
        event.since > 0
          ? [fact.since, <Time at={since} absolute />]
          : [fact.happened, <Time at={event.date} absolute />],
        [fact.ended, over && <Time at={event.ended} absolute />],
        [fact.duration, over && formatDuration(event.ended - since)],
        [fact.lasts, event.since > 0 && isLasting(event) && formatDuration(Math.max(0, now.value - since))],
        [fact.class, event.event],
        [fact.type, event.servicetype],
        [fact.action, event.action],
      ]}
    />
  );
}

/** The failure of an error that a later one has replaced; undefined while it is not known, and for other events. */
function useProblemOfLater(event: EventDetail | null): {
  problem: Problem | undefined;
  refresh: () => Promise<void>;
} {
  const isReplaced = event !== null && event.active !== 1 && isLasting(event);
  const detail = useResource<IncidentDetail>(
    "/incidents/get",
    { id: event?.id },
    { every: LIVE_SECONDS, still: true, skip: !isReplaced },
  );
  const incident = isReplaced ? detail.data.value : null;
  const problem = incident?.ended === 0 ? problemOf(incident) : undefined;
  return { problem, refresh: () => detail.refresh() };
}

interface ControlsProps {
  event: EventDetail;
  /** What the actions are on; undefined: nothing. */
  problem: Problem | undefined;
  onDone: () => void;
}

/** Links to the service, the incident and the host as it was then, and actions on a problem. */
function Controls({ event, problem, onDone }: ControlsProps) {
  return (
    <div class="toolbar">
      {event.serviceid > 0 && (
        <a class="button" href={`/hosts/${event.hostid}/services/${event.serviceid}`}>
          {EVENT.openService}
        </a>
      )}
      {event.since > 0 && (
        <a class="button" href={`/incidents/${event.id}`}>
          {EVENT.openIncident}
        </a>
      )}
      <a class="button" href={addressAt(`/hosts/${event.hostid}`, event.date)}>
        <Icon name="clock" />
        {EVENT.asItWas}
      </a>
      {problem && <ProblemActions event={problem} onDone={onDone} large />}
    </div>
  );
}

function EventScreen({ id }: { id: string }) {
  const { now } = useMuster();
  const detail = useResource<EventDetail>(
    "/reports/events/get",
    { id },
    { every: LIVE_SECONDS, still: true },
  );
  const event = detail.data.value;
  const later = useProblemOfLater(event);
  const problem = event?.active === 1 ? recordOf(event) : later.problem;
  const refresh = () => void (event?.active === 1 ? detail : later).refresh();
  return (
    <Page
      title={event ? EVENT.title(failedName(recordOf(event)), event.host) : EVENT.unnamed(id)}
      heading={event && failedName(recordOf(event))}
      breadcrumbs={[
        [EVENT.events, "/events"],
        ...(event ? [[event.host, `/hosts/${event.hostid}`] as const] : []),
      ]}
    >
      <Loaded from={detail}>
        {(data) => (
          <>
            <p class="host-state state-line">
              <EventState
                state={data.eventstate}
                lasts={isLasting(data)}
                failing={failingText(recordOf(data))}
              />
              {problem && <ProblemMarks event={problem} />}
            </p>
            <p class="message as-written">{problemText(recordOf(data), now.value)}</p>
            <Controls event={data} problem={problem} onDone={refresh} />
            <EventFacts event={data} />
            {data.since > 0 && <EventChanges id={data.id} />}
            <EventNotifications id={data.id} />
            <EventChart hostId={data.hostid} serviceId={data.serviceid} from={data.date} to={data.date} />
            <EventNotes
              notes={data.note}
              eventId={data.id}
              hostId={data.hostid}
              onAdded={() => detail.refresh()}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The event that the address names. */
export function EventOfAddress() {
  const { router } = useMuster();
  const { id = "" } = match("/events/:id", router.address.value.path) ?? {};
  return <EventScreen key={id} id={id} />;
}
