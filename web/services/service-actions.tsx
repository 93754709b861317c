import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { EventList, HostOfDetail } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted } from "../text/format.ts";
import { monitorStateName } from "../text/names.ts";
import { Confirm } from "../ui/confirm.tsx";
import { EventState } from "../ui/led.tsx";
import { Time } from "../ui/time.tsx";

/** Actions of the API with the labels of their buttons. */
const ACTIONS = {
  start: "Start",
  stop: "Stop",
  restart: "Restart",
  monitor: "Monitor",
  unmonitor: "Unmonitor",
} as const;
type Action = keyof typeof ACTIONS;
const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

const WATCH_SECONDS = 2;
/** Tolerance for an agent's clock that is behind: events this long before the click still count. */
const DATE_SLACK_SECONDS = 2;
/** Time that a report may come later than the poll interval. */
const REPORT_SLACK_SECONDS = 5;

interface ActionsProps {
  host: HostOfDetail;
  /** Names of the services to act on. */
  services: readonly string[];
  onSent: () => void;
  /** Text beside the buttons. */
  children?: ComponentChildren;
}

export interface Sent {
  action: Action;
  services: readonly string[];
  at: number;
}

/** The likely reason that the agent has sent no event since the action. */
export function whyNoEvent(host: HostOfDetail, sent: Sent, now: number): string {
  const { poll } = host.agent;
  const reported = host.lastmodified > sent.at;
  if (now - sent.at <= poll + REPORT_SLACK_SECONDS)
    return `Waiting for the agent to report; it does so every ${poll} s.`;
  if (!reported)
    return `The agent has not reported since, although it should every ${poll} s. Whether it acted is unknown.`;
  if (now - sent.at <= 2 * poll + REPORT_SLACK_SECONDS)
    return "The agent has reported since, but nothing of this yet. It may still be at it.";
  const states = host.services
    .filter(({ name }) => sent.services.includes(name))
    .map(
      ({ name, status, monitorstate }) =>
        `${name} is ${status}, monitoring ${monitorStateName(monitorstate)}`,
    );
  return `The agent has reported since without an event: nothing changed by its account. Now ${states.join("; ")}.`;
}

/** The events of the services since the action was sent, or the likely reason that there are none. */
function Outcome({ host, sent }: { host: HostOfDetail; sent: Sent }) {
  const { now } = useMuster();
  const announce = useAnnounce();
  const events = useResource<EventList>(
    "/reports/events/list",
    { hostid: host.id, datefrom: sent.at - DATE_SLACK_SECONDS, results: 50 },
    { every: WATCH_SECONDS },
  );
  const reports =
    events.data.value?.records.filter((event) => sent.services.includes(event.servicename)) ?? [];
  const latest = reports[0];
  useEffect(() => {
    if (latest) announce(`${latest.servicename}: ${latest.event}`);
  }, [latest?.id]);
  return (
    <div class="outcome">
      <p>
        <strong>{ACTIONS[sent.action]}</strong> was sent to the agent for {sent.services.join(", ")}.{" "}
        {reports.length === 0 && whyNoEvent(host, sent, now.value)}
      </p>
      {reports.length > 0 && (
        <ul>
          {reports.map((event) => (
            <li key={event.id}>
              <EventState state={event.eventtype} active={event.active === 1} words="sr-only" />{" "}
              {event.servicename}: <a href={`/events/${event.id}`}>{event.event || "(no text)"}</a>{" "}
              <Time at={event.date} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Buttons that make the agent act on services, each with a confirmation. */
export function ServiceActions({ host, services, onSent, children }: ActionsProps) {
  const { api, now } = useMuster();
  const confirming = useSignal<Action | null>(null);
  const sent = useSignal<Sent | null>(null);
  const action = confirming.value;
  const send = async () => {
    if (!action) return;
    const at = now.peek();
    await api.post("/admin/hosts/action", { id: host.id, action, service: services });
    sent.value = { action, services, at };
    onSent();
  };
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label="Actions on the selected services">
        {ACTION_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            disabled={services.length === 0}
            onClick={() => {
              confirming.value = name;
            }}
          >
            {ACTIONS[name]}
          </button>
        ))}
        {children}
      </div>
      {sent.value && <Outcome key={sent.value.at} host={host} sent={sent.value} />}
      {action && (
        <Confirm
          title={`${ACTIONS[action]} ${services.length === 1 ? services[0] : counted(services.length, "service")} on ${host.name}?`}
          verb={ACTIONS[action]}
          danger={action === "stop"}
          act={send}
          onClose={() => {
            confirming.value = null;
          }}
        >
          <p>
            The agent of <strong>{host.name}</strong> is asked to {action}:
          </p>
          <ul class="names">
            {services.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </>
  );
}
