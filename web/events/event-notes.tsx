import { useSignal } from "@preact/signals";
import type { EventDetail } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { TextArea } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useWork } from "../ui/work.tsx";
import { EVENT } from "./events.texts.ts";

const MAX_NOTE = 4096;

interface EventNotesProps {
  notes: EventDetail["note"];
  /** The event to which notes are added, and its host. */
  eventId: number;
  hostId: number;
  onAdded: () => Promise<void>;
}

/** What people wrote about an event or incident, and a form to add to it. */
export function EventNotes({ notes, eventId, hostId, onAdded }: EventNotesProps) {
  const { api, session } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  /** How many notes were added here. Each empties the field. */
  const added = useSignal(0);
  const add = async (values: FormData) => {
    await api.post("/reports/events/note", { id: eventId, message: textOf(values, "message") });
    added.value++;
    announce(EVENT.noteAdded);
    await onAdded();
  };
  return (
    <Section title={EVENT.notes}>
      {notes.length === 0 && <Empty>{EVENT.noNotes}</Empty>}
      <ol class="notes">
        {notes.map((note) => (
          <li key={`${note.date} ${note.uname} ${note.message}`}>
            <p class="note-head">
              <strong>{note.uname}</strong> <Time at={note.date} />
            </p>
            <p class="as-written">{note.message}</p>
          </li>
        ))}
      </ol>
      {session.mayOn("respond", hostId) && (
        <Form work={work} submit={EVENT.addNote} onSubmit={add}>
          <TextArea
            key={added.value}
            label={EVENT.newNote}
            name="message"
            rows={3}
            maxLength={MAX_NOTE}
            required
          />
        </Form>
      )}
    </Section>
  );
}
