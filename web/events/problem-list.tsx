import type { ComponentChildren } from "preact";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatAbsolute, formatMinuteNear } from "../text/format.ts";
import { Clamped } from "../ui/clamped.tsx";
import { Led } from "../ui/led.tsx";
import { NotedMark, ProblemMarks } from "./problem-marks.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** How the server's message about a host that is down begins. It says how long ago the last report was. */
const OUTAGE = /^No report from Monit for (\d+) seconds/;

/** The fields that show why there is a problem, and since when. */
type ErrorFacts = Pick<EventRecord, "servicename" | "event" | "since" | "date" | "active">;

/** Whether the problem is that the host does not report, which Muster itself noticed. */
export function isOutage({ servicename, event }: Pick<EventRecord, "servicename" | "event">): boolean {
  return servicename === "Monit" && OUTAGE.test(event);
}

/** The state of a failure that is ongoing: "Down" if it is that of a host. */
export function failingText(event: Pick<EventRecord, "servicename" | "event">): string {
  return isOutage(event) ? PROBLEMS.down : PROBLEMS.failing;
}

/** Whether the failure of an error is ongoing. Only its newest error is active. */
export function isLasting({
  active,
  since,
  ended,
}: Pick<EventRecord, "active" | "since" | "ended">): boolean {
  return active === 1 || (since > 0 && ended === 0);
}

/** What fails: the service, or the host. */
export function failedName(event: Pick<EventRecord, "servicename" | "event">): string {
  return isOutage(event) ? PROBLEMS.hostDown : event.servicename;
}

/**
 * When a problem began, unix seconds: its downtime counts from then, also that of a host, which was declared down. So
 * it lasts as long here as in incidents, notifications and the uptime report.
 */
export function problemSince({ since, date }: Pick<ErrorFacts, "since" | "date">): number {
  return since || date;
}

/** When a host that is down last reported, as the message about it says. Unix seconds. */
function lastReportOf(event: ErrorFacts): number {
  return problemSince(event) - Number(OUTAGE.exec(event.event)?.[1] ?? 0);
}

/** The cause of a problem: the agent's message, or since when the host has not reported. */
export function problemText(event: ErrorFacts, now: number): string {
  if (isOutage(event))
    return event.active === 1
      ? PROBLEMS.noReport(formatMinuteNear(lastReportOf(event), now))
      : PROBLEMS.wasDown;
  return event.event || PROBLEMS.noMessage;
}

/** The service of an event as a link, if the host still has it. Muster's own event of an outage has none. */
export function ServiceLink({ event }: { event: Pick<EventRecord, "hostid" | "serviceid" | "servicename"> }) {
  return event.serviceid > 0 ? (
    <a href={`/hosts/${event.hostid}/services/${event.serviceid}`}>{event.servicename}</a>
  ) : (
    <span>{event.servicename}</span>
  );
}

interface ProblemProps {
  event: EventRecord;
  /** The column that is left out because the page is about its object. */
  without: "host" | "service" | null;
  children: ComponentChildren;
}

function Problem({ event, without, children }: ProblemProps) {
  const { now } = useMuster();
  const since = problemSince(event);
  return (
    <li class="problem" data-row>
      <Led led={0} words="sr-only" />
      <div class="problem-what">
        <div class="problem-line">
          {without !== "service" && (
            <strong class="problem-service">
              {isOutage(event) ? PROBLEMS.hostDown : <ServiceLink event={event} />}
            </strong>
          )}
          {without === null && (
            <a class="problem-host" href={`/hosts/${event.hostid}`} title={event.hostname}>
              {event.hostname}
            </a>
          )}
          <span class="problem-since" title={formatAbsolute(since)}>
            {PROBLEMS.since(now.value - since)}
          </span>
        </div>
        <div class="problem-message">
          <Clamped>
            <a href={`/${event.active === 1 ? "incidents" : "events"}/${event.id}`} data-opens>
              {problemText(event, now.value)}
            </a>
          </Clamped>
          <NotedMark note={event.note} />
        </div>
        <div class="problem-marks">
          <ProblemMarks event={event} />
        </div>
      </div>
      <div class="problem-actions">{children}</div>
    </li>
  );
}

interface ProblemListProps {
  events: readonly EventRecord[];
  without?: "host" | "service";
  /** Actions on the problem. */
  actions?: (event: EventRecord) => ComponentChildren;
}

/** Active problems: what, why, since when, who acknowledged them, and what to do. */
export function ProblemList({ events, without, actions }: ProblemListProps) {
  return (
    <ul class="problems" aria-label={PROBLEMS.caption}>
      {events.map((event) => (
        <Problem key={event.id} event={event} without={without ?? null}>
          {actions?.(event)}
        </Problem>
      ))}
    </ul>
  );
}
