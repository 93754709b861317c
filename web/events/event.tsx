import { useId } from "preact/hooks";
import { EventNotifications } from "../alerting/event-notifications.tsx";
import type { EventDetail } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Facts } from "../ui/facts.tsx";
import { Form, textOf, useWork } from "../ui/form.tsx";
import { EventState } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

const MAX_NOTE = 4096;

function Notes({ event, onAdded }: { event: EventDetail; onAdded: () => Promise<void> }) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const id = useId();
  const add = async (values: FormData) => {
    await api.post("/reports/events/note", { id: event.id, message: textOf(values, "message") });
    const area = document.getElementById(id);
    if (area instanceof HTMLTextAreaElement) area.value = "";
    announce("Note added");
    await onAdded();
  };
  return (
    <Section title="Notes">
      {event.note.length === 0 && <Empty>No note yet.</Empty>}
      <ol class="notes">
        {event.note.map((note) => (
          <li key={`${note.date} ${note.uname} ${note.message}`}>
            <p class="note-head">
              <strong>{note.uname}</strong> <Time at={note.date} />
            </p>
            <p class="as-written">{note.message}</p>
          </li>
        ))}
      </ol>
      <Form work={work} submit="Add note" onSubmit={add}>
        <div class="field">
          <label for={id}>New note</label>
          <textarea id={id} name="message" rows={3} maxLength={MAX_NOTE} required />
        </div>
      </Form>
    </Section>
  );
}

/** Whether an error is still active; "" for other events. */
function errorState({ eventstate, active, dismissed }: EventDetail): string {
  if (eventstate !== 1) return "";
  if (active === 0) return "over";
  return dismissed === 1 ? "active, dismissed" : "active";
}

function DismissEvent({ id, onDone }: { id: number; onDone: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  return (
    <div class="toolbar">
      <button
        type="button"
        disabled={work.busy.value}
        onClick={async () => {
          if (await work.run(() => api.post("/reports/events/dismiss", { id }))) onDone();
        }}
      >
        Dismiss
      </button>
      <span class="muted" role="status">
        {work.error.value?.message ?? "Takes it off the list of problems, though it goes on"}
      </span>
    </div>
  );
}

export function EventScreen({ id }: { id: string }) {
  const announce = useAnnounce();
  const detail = useResource<EventDetail>("/reports/events/get", { id });
  const event = detail.data.value;
  return (
    <Page
      title={event ? `${event.servicename} on ${event.host}: ${event.event}` : `Event ${id}`}
      heading={event ? `${event.servicename}: ${event.event}` : undefined}
      breadcrumbs={[
        ["Events", "/events"],
        ...(event ? [[event.host, `/hosts/${event.hostid}`] as const] : []),
      ]}
    >
      <Loaded from={detail}>
        {(data) => (
          <>
            <p class="host-state">
              <EventState state={data.eventstate} />
              {errorState(data) && <span class="tag">{errorState(data)}</span>}
            </p>
            <p class="message as-written">{data.message || "(no text)"}</p>
            <Facts
              facts={[
                ["When", <Time at={data.date} absolute />],
                ["Host", <a href={`/hosts/${data.hostid}`}>{data.host}</a>],
                ["Service", data.servicename],
                ["Service type", data.servicetype],
                ["Class", data.event],
                ["Agent's action", data.action],
              ]}
            />
            {data.active === 1 && data.dismissed === 0 && (
              <DismissEvent
                id={data.id}
                onDone={() => {
                  announce("Dismissed");
                  void detail.refresh();
                }}
              />
            )}
            <EventNotifications id={data.id} />
            <Notes event={data} onAdded={() => detail.refresh()} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
