import { useEffect } from "preact/hooks";
import type { HostOfDetail, QueuedAction, QueuedActions } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import { Led } from "../ui/led.tsx";
import { RowButton } from "../ui/record-list.tsx";
import { Unread } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { QUEUED } from "./queued-actions.texts.ts";
import { SERVICES } from "./services.texts.ts";

const LIVE_SECONDS = 5;
/** Actions are shown for this long after they were asked for, seconds. */
const SHOWN_SECONDS = 3600;
const MOST_SHOWN = 5;

const LEDS = { waiting: 3, fetched: 3, ran: 2, failed: 0, expired: 1, cancelled: 3 } as const;

/** The actions that wait for the agent of a host, and what came of earlier ones. */
export function useQueuedActions({ id }: Pick<HostOfDetail, "id">): Resource<QueuedActions> {
  return useResource<QueuedActions>("/admin/hosts/action/list", { id }, { every: LIVE_SECONDS });
}

/** Whether an action that waits would be fetched: it is allowed, and the agent asks in its cycles. */
export function takesActions(queue: QueuedActions | null): boolean {
  return queue?.enabled === true && queue.bound && queue.asks;
}

const nameOf = (action: string) => SERVICES.actionNames[action as keyof typeof SERVICES.actionNames];

interface RowProps {
  action: QueuedAction;
  /** Whether one is being cancelled. */
  isBusy: boolean;
  cancel: () => void;
}

function Row({ action, isBusy, cancel }: RowProps) {
  const { service, state, uname, created, ended, output } = action;
  return (
    <li>
      <Led led={LEDS[state]} text={QUEUED.states[state]} />{" "}
      {QUEUED.what(nameOf(action.action), service, output)}{" "}
      <span class="muted">
        {QUEUED.asked(uname)} <Time at={created} />
        {ended !== null && (
          <>
            {QUEUED.ended} <Time at={ended} />
          </>
        )}
      </span>{" "}
      {state === "waiting" && (
        <RowButton label={QUEUED.cancelOf(nameOf(action.action), service)} disabled={isBusy} onClick={cancel}>
          {QUEUED.cancel}
        </RowButton>
      )}
    </li>
  );
}

/** The last actions that waited for the agent, while they are recent. @param services to which they apply; absent: all */
export function QueuedActionList({
  host,
  from,
  services,
}: {
  /** Id of the host. */
  host: number;
  from: Resource<QueuedActions>;
  services?: readonly string[];
}) {
  const { api, now } = useMuster();
  const cancelling = useWork();
  const announce = useAnnounce();
  const isShown = ({ service, created, state }: QueuedAction) =>
    (!services || services.includes(service)) &&
    (state === "waiting" || state === "fetched" || now.value - created < SHOWN_SECONDS);
  const shown = (from.data.value?.records ?? []).filter(isShown).slice(0, MOST_SHOWN);
  const [latest] = shown;
  useEffect(() => {
    if (latest) announce(QUEUED.announced(QUEUED.states[latest.state], latest.service));
  }, [latest?.id, latest?.state]);
  const cancel = (action: number) =>
    cancelling.run(async () => {
      await api.send("/admin/hosts/action/cancel", { id: host, action });
      await from.refresh();
      keepFocus();
    });
  if (shown.length === 0) return <Unread from={from} what={QUEUED.title} />;
  return (
    <div class="outcome">
      <ul aria-label={QUEUED.title}>
        {shown.map((action) => (
          <Row
            key={action.id}
            action={action}
            isBusy={cancelling.busy.value}
            cancel={() => void cancel(action.id)}
          />
        ))}
      </ul>
      <WorkError work={cancelling} />
    </div>
  );
}
