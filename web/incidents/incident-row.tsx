import type { ComponentChildren } from "preact";
import { MutedMark } from "../alerting/muted.tsx";
import type { IncidentRecord } from "../api/types.ts";
import { problemOf } from "../events/problem-actions.tsx";
import { failedName, failingText, problemText, ServiceLink } from "../events/problem-list.tsx";
import { useMuster } from "../state/muster.ts";
import { formatAbsolute, formatMinute, formatMinuteNear } from "../text/format.ts";
import { Led } from "../ui/led.tsx";
import { INCIDENTS } from "./incidents.texts.ts";
import { shownAcknowledgement } from "./open-sections.ts";

/** The state of an incident: "Down", "Failing" or "Resolved". */
export function incidentState(incident: IncidentRecord): string {
  return incident.ended === 0 ? failingText(problemOf(incident)) : INCIDENTS.resolved;
}

/** Why it failed, in the words of the list of problems. @param now unix seconds */
export function incidentText({ servicename, message, since, ended }: IncidentRecord, now: number): string {
  return problemText({ servicename, event: message, since, date: since, active: ended === 0 ? 1 : 0 }, now);
}

/** From when to when, and for how long. */
function SpanOf({ incident: { since, ended } }: { incident: IncidentRecord }) {
  const { now } = useMuster();
  return (
    <span class="problem-since" title={formatAbsolute(since)}>
      {ended > 0
        ? INCIDENTS.span(formatMinuteNear(since, ended), formatMinuteNear(ended, since))
        : formatMinuteNear(since, now.value)}
      {", "}
      <strong>
        {ended > 0 ? INCIDENTS.lasted(ended - since) : INCIDENTS.lasting(Math.max(0, now.value - since))}
      </strong>
    </span>
  );
}

/** Who acknowledged it, who was notified, and what changed before it. */
function Details({ incident }: { incident: IncidentRecord }) {
  const { notified, change, muted } = incident;
  const acknowledged = shownAcknowledgement(incident);
  return (
    <ul class="incident-details">
      {acknowledged && (
        <li title={formatMinute(acknowledged.date)}>
          {acknowledged.note === ""
            ? INCIDENTS.acknowledgedBy(acknowledged.uname)
            : INCIDENTS.acknowledgedWith(acknowledged.uname, acknowledged.note)}
        </li>
      )}
      <li>{notified.length > 0 ? INCIDENTS.notified(notified) : INCIDENTS.nobodyNotified}</li>
      {change && (
        <li>
          <a href={`/events/${change.id}`}>{INCIDENTS.changeBefore(change.servicename, change.message)}</a>
        </li>
      )}
      {muted && (
        <li>
          <MutedMark muted={muted} />
        </li>
      )}
    </ul>
  );
}

interface IncidentRowProps {
  incident: IncidentRecord;
  /** Actions on it. */
  children?: ComponentChildren;
}

/** An incident: what failed, where, when and why in two lines, then its details. */
export function IncidentRow({ incident, children }: IncidentRowProps) {
  const { now } = useMuster();
  const { id, hostid, hostname, servicename, ended } = incident;
  const name = failedName(problemOf(incident));
  return (
    <li class="problem" data-row>
      <Led led={ended === 0 ? 0 : 2} text={incidentState(incident)} words="sr-only" />
      <div class="problem-what">
        <div class="problem-line">
          <strong class="problem-service">
            {name === servicename ? <ServiceLink event={incident} /> : name}
          </strong>
          <a class="problem-host" href={`/hosts/${hostid}`} title={hostname}>
            {hostname}
          </a>
          <SpanOf incident={incident} />
        </div>
        <div class="problem-message">
          <a href={`/incidents/${id}`} data-opens>
            {incidentText(incident, now.value)}
          </a>
        </div>
        <Details incident={incident} />
      </div>
      <div class="problem-actions">{children}</div>
    </li>
  );
}
