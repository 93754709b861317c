import { Notifications } from "../alerting/event-notifications.tsx";
import { MutedBanner } from "../alerting/muted.tsx";
import type { HostDetail, IncidentDetail } from "../api/types.ts";
import { EventChanges } from "../events/event-changes.tsx";
import { EventChart } from "../events/event-chart.tsx";
import { EventNotes } from "../events/event-notes.tsx";
import { EventTable } from "../events/event-table.tsx";
import { ProblemActions, problemOf } from "../events/problem-actions.tsx";
import { ServiceLink } from "../events/problem-list.tsx";
import { playAddress } from "../moment/play-steps.ts";
import { addressAt } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { PublicNotes } from "../status-pages/public-notes.tsx";
import { formatDuration } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Icon } from "../ui/icon.tsx";
import { Led } from "../ui/led.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Section } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { incidentState, incidentText } from "./incident-row.tsx";
import { INCIDENT } from "./incidents.texts.ts";
import { MovedFirst } from "./moved-first.tsx";
import { shownAcknowledgement } from "./open-sections.ts";

/** Seconds after its end in which an incident gets public notes: a day. */
const NOTE_SECONDS = 86_400;

function acknowledgement(incident: IncidentDetail): string {
  const acknowledged = shownAcknowledgement(incident);
  if (!acknowledged) return INCIDENT.nobody;
  const { uname, note } = acknowledged;
  return note === "" ? uname : `${uname}: ${note}`;
}

function IncidentFacts({ incident }: { incident: IncidentDetail }) {
  const { now } = useMuster();
  const { facts } = INCIDENT;
  const { since, ended, notified } = incident;
  return (
    <Facts
      facts={[
        [facts.service, <ServiceLink event={incident} />],
        [facts.host, <a href={`/hosts/${incident.hostid}`}>{incident.hostname}</a>],
        [facts.since, <Time at={since} absolute />],
        [facts.ended, ended > 0 && <Time at={ended} absolute />],
        [facts.duration, formatDuration(Math.max(0, (ended || now.value) - since))],
        [facts.acknowledged, acknowledgement(incident)],
        [facts.notified, notified.length > 0 ? notified.join(", ") : INCIDENT.nobody],
        [facts.kind, incident.event],
      ]}
    />
  );
}

/** The last output of a program, if the service is a program that still fails. */
function Output({ incident }: { incident: IncidentDetail }) {
  const detail = useResource<HostDetail>(
    "/status/hosts/get",
    { id: incident.hostid },
    { skip: incident.ended > 0 },
  );
  const service = detail.data.value?.records.host.services.find(({ id }) => id === incident.serviceid);
  const text = service?.statistics.find(
    (statistic) => statistic.text !== undefined && statistic.text !== "",
  )?.text;
  if (!text || service?.type !== "Program") return null;
  return (
    <Section title={INCIDENT.output}>
      <pre class="output">{text}</pre>
    </Section>
  );
}

interface IncidentProps {
  incident: IncidentDetail;
  /** Called after a change, to read it anew. */
  onDone: () => Promise<void>;
}

function Controls({ incident, onDone }: IncidentProps) {
  const { hostid, serviceid, since, ended } = incident;
  return (
    <div class="toolbar">
      {ended === 0 && <ProblemActions event={problemOf(incident)} onDone={() => void onDone()} large />}
      {serviceid > 0 && (
        <a class="button" href={`/hosts/${hostid}/services/${serviceid}`}>
          {INCIDENT.openService}
        </a>
      )}
      <a class="button" href={addressAt(`/hosts/${hostid}`, since)}>
        <Icon name="clock" />
        {INCIDENT.asItWas}
      </a>
      <a class="button" title={INCIDENT.playHint} href={playAddress(incident)}>
        <Icon name="play" />
        {INCIDENT.play}
      </a>
    </div>
  );
}

/** All of an incident but its heading: its message, its actions, and its details. */
export function IncidentBody({ incident, onDone }: IncidentProps) {
  const { now } = useMuster();
  const { hostid, serviceid, since, ended, notes, notifications, events, muted, eventid } = incident;
  return (
    <>
      <p class="host-state state-line">
        <Led led={ended === 0 ? 0 : 2} text={incidentState(incident)} />
      </p>
      <div class="message">
        <LongText text={incidentText(incident, now.value)} />
      </div>
      <MutedBanner muted={muted} />
      <Output incident={incident} />
      <Controls incident={incident} onDone={onDone} />
      <IncidentFacts incident={incident} />
      <EventChart hostId={hostid} serviceId={serviceid} from={since} to={ended || now.peek()} />
      <MovedFirst id={incident.id} since={since} />
      <EventChanges id={incident.id} />
      <Section title={INCIDENT.notifications}>
        <Notifications {...notifications} />
      </Section>
      <EventNotes notes={notes} eventId={eventid} hostId={hostid} onAdded={onDone} />
      <Section title={INCIDENT.events}>
        <EventTable caption={INCIDENT.events} rows={events} ofHost ofService recoveries />
      </Section>
      <PublicNotes
        about={{ eventid }}
        hostId={hostid}
        isOpen={ended === 0 || now.peek() - ended < NOTE_SECONDS}
      />
    </>
  );
}
