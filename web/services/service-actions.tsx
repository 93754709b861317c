import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { EventList, HostOfDetail } from "../api/types.ts";
import { failingText, isLasting } from "../events/problem-list.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatDuration } from "../text/format.ts";
import { monitorStateName } from "../text/type-names.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { EventState } from "../ui/led.tsx";
import { Time } from "../ui/time.tsx";
import { QueuedActionList, takesActions, useQueuedActions } from "./queued-actions.tsx";
import { SERVICES } from "./services.texts.ts";

type Action = keyof typeof SERVICES.actionNames;
const ACTIONS = Object.keys(SERVICES.actionNames) as Action[];

/** Code of the error that the agent cannot be reached. */
const AGENT_FAILED = "agent.failed";
const WATCH_SECONDS = 2;
/** Tolerance for an agent's clock that is slow: events this long before the click still count. */
const DATE_SLACK_SECONDS = 2;
/** How much later than the poll interval a report may come, seconds. */
const REPORT_SLACK_SECONDS = 5;

interface ActionsProps {
  host: HostOfDetail;
  /** Names of the services to act on. */
  services: readonly string[];
  /** Whether the page is about these services alone. */
  alone?: boolean;
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
  if (now - sent.at <= poll + REPORT_SLACK_SECONDS) return SERVICES.waiting(formatDuration(poll));
  if (!reported) return SERVICES.silent(formatDuration(poll));
  if (now - sent.at <= 2 * poll + REPORT_SLACK_SECONDS) return SERVICES.notYet;
  const states = host.services
    .filter(({ name }) => sent.services.includes(name))
    .map(({ name, status, monitorstate }) => SERVICES.stateOf(name, status, monitorStateName(monitorstate)));
  return SERVICES.unchanged(states.join("; "));
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
    if (latest) announce(SERVICES.announced(latest.servicename, latest.event));
  }, [latest?.id]);
  return (
    <div class="outcome">
      <p>
        {SERVICES.sent(SERVICES.actionNames[sent.action], sent.services.join(", "))}{" "}
        {reports.length === 0 && whyNoEvent(host, sent, now.value)}
      </p>
      {reports.length > 0 && (
        <ul>
          {reports.map((event) => (
            <li key={event.id}>
              <EventState
                state={event.eventtype}
                lasts={isLasting(event)}
                failing={failingText(event)}
                words="sr-only"
              />{" "}
              {SERVICES.reported(event.servicename)}{" "}
              <a href={`/events/${event.id}`}>{event.event || SERVICES.noText}</a> <Time at={event.date} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function questionOf(action: Action, services: readonly string[], host: string): string {
  const [first = ""] = services;
  const name = SERVICES.actionNames[action];
  return services.length === 1
    ? SERVICES.askOne(name, first, host)
    : SERVICES.askMany(name, services.length, host);
}

/**
 * Buttons that make the agent act on services, each with a confirmation. Where the agent cannot be reached but asks for
 * actions, they wait for it.
 */
export function ServiceActions({ host, services, alone = false, onSent, children }: ActionsProps) {
  const { api, now } = useMuster();
  const confirming = useSignal<Action | null>(null);
  const sent = useSignal<Sent | null>(null);
  const queue = useQueuedActions(host);
  const action = confirming.value;
  const send = async () => {
    if (!action) return;
    const at = now.peek();
    const args = { id: host.id, action, service: services };
    try {
      await api.post("/admin/hosts/action", args);
      sent.value = { action, services, at };
    } catch (error) {
      const isUnreachable = error instanceof ApiError && error.code === AGENT_FAILED;
      if (!isUnreachable || !takesActions(queue.data.peek())) throw error;
      await api.send("/admin/hosts/action/queue", args);
      sent.value = null;
      await queue.refresh();
    }
    onSent();
  };
  return (
    <>
      <div class="toolbar" role="toolbar" aria-label={SERVICES.actions}>
        {ACTIONS.map((name) => (
          <button
            key={name}
            type="button"
            disabled={services.length === 0}
            onClick={() => {
              confirming.value = name;
            }}
          >
            {SERVICES.actionNames[name]}
          </button>
        ))}
        {children}
      </div>
      <QueuedActionList host={host.id} from={queue} {...(alone && { services })} />
      {sent.value && <Outcome key={sent.value.at} host={host} sent={sent.value} />}
      {action && (
        <FormDialog
          title={questionOf(action, services, host.name)}
          verb={SERVICES.actionNames[action]}
          danger={action === "stop"}
          act={send}
          onClose={() => {
            confirming.value = null;
          }}
        >
          <p>{SERVICES.asked[action](host.name)}</p>
          <ul class="names">
            {services.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </FormDialog>
      )}
    </>
  );
}
