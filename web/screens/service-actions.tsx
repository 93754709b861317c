import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useResource } from "../api/resource.ts";
import type { EventList } from "../api/types.ts";
import { counted } from "../format.ts";
import { useAnnounce, useMuster } from "../muster.ts";
import { Confirm } from "../parts/confirm.tsx";
import { EventState } from "../parts/led.tsx";

/** Actions of the API and the words on their buttons. */
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
/** How far the agent's date of an event may lie before the click. */
const DATE_SLACK_SECONDS = 2;

interface ActionsProps {
  hostId: number;
  hostName: string;
  /** Names of the services to act on. */
  services: readonly string[];
  onSent: () => void;
  /** Words beside the buttons. */
  children?: ComponentChildren;
}

interface Sent {
  action: Action;
  services: readonly string[];
  at: number;
}

/** What the agent reported of the services since an action was sent to it. */
function Outcome({ hostId, sent }: { hostId: number; sent: Sent }) {
  const announce = useAnnounce();
  const events = useResource<EventList>(
    "/reports/events/list",
    { hostid: hostId, datefrom: sent.at - DATE_SLACK_SECONDS, results: 50 },
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
        <strong>{ACTIONS[sent.action]}</strong> sent for {sent.services.join(", ")}.{" "}
        {reports.length === 0 && "Waiting for the agent to report..."}
      </p>
      {reports.length > 0 && (
        <ul>
          {reports.map((event) => (
            <li key={event.id}>
              <EventState state={event.eventtype} words="unseen" /> {event.servicename}: {event.event}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Buttons that have the host's agent act on services, after asking. */
export function ServiceActions({ hostId, hostName, services, onSent, children }: ActionsProps) {
  const { api, now } = useMuster();
  const asking = useSignal<Action | null>(null);
  const sent = useSignal<Sent | null>(null);
  const action = asking.value;
  const send = async () => {
    if (!action) return;
    const at = now.peek();
    await api.post("/admin/hosts/action", { id: hostId, action, service: services });
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
              asking.value = name;
            }}
          >
            {ACTIONS[name]}
          </button>
        ))}
        {children}
      </div>
      {sent.value && <Outcome key={sent.value.at} hostId={hostId} sent={sent.value} />}
      {action && (
        <Confirm
          title={`${ACTIONS[action]} ${services.length === 1 ? services[0] : counted(services.length, "service")} on ${hostName}?`}
          verb={ACTIONS[action]}
          danger={action === "stop"}
          act={send}
          onClose={() => {
            asking.value = null;
          }}
        >
          <p>
            The agent of <strong>{hostName}</strong> is asked to {action}:
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
