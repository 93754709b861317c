import { useSignal } from "@preact/signals";
import type { PublicNoteList } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { TextArea } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { RowButton } from "../ui/record-list.tsx";
import { Empty, Unread } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { PUBLIC_NOTES } from "./public-notes.texts.ts";

const LIVE_SECONDS = 30;
const LISTED = 20;
const MAX_TEXT = 1000;

type PublicNote = PublicNoteList["records"][number];

interface PublicNotesProps {
  /** What new notes are about, and whose notes are listed. */
  about: { hostid: number } | { eventid: number };
  hostId: number;
  /** Whether a note can be added: not about what was over long ago. */
  isOpen: boolean;
}

function stateText({ shown, endedby }: PublicNote): string {
  if (shown) return PUBLIC_NOTES.shown;
  return endedby === "" ? PUBLIC_NOTES.over : PUBLIC_NOTES.replaced(endedby);
}

interface NoteProps {
  note: PublicNote;
  mayWithdraw: boolean;
  onDone: () => Promise<void>;
}

function Note({ note, mayWithdraw, onDone }: NoteProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const withdraw = () =>
    work.run(async () => {
      await api.post("/publicnotes/withdraw", { id: note.id });
      notify(PUBLIC_NOTES.withdrawn);
      await onDone();
      keepFocus();
    });
  return (
    <li>
      <p class="note-head">
        <strong>{note.uname}</strong> {note.servicename !== "" && PUBLIC_NOTES.about(note.servicename)}{" "}
        <Time at={note.created} /> <span class="tag">{stateText(note)}</span>
        {note.shown && mayWithdraw && (
          <>
            {" "}
            <RowButton
              label={PUBLIC_NOTES.withdrawOf(note.text)}
              disabled={work.busy.value}
              onClick={() => void withdraw()}
            >
              {PUBLIC_NOTES.withdraw}
            </RowButton>
          </>
        )}
      </p>
      <p class="as-written">{note.text}</p>
      <WorkError work={work} />
    </li>
  );
}

/** What the public was told on status pages, and a form to tell it more. Nothing where there is no status page. */
export function PublicNotes({ about, hostId, isOpen }: PublicNotesProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  /** How many notes were published here. Each empties the field. */
  const published = useSignal(0);
  const list = useResource<PublicNoteList>(
    "/publicnotes/list",
    { ...about, results: LISTED },
    // An incident's id is that of its last error, which changes. Without the previous reply, the form would disappear
    // with what is typed.
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const notes = list.data.value;
  const mayWrite = session.mayOn("manage", hostId);
  const mayAdd = mayWrite && isOpen && notes !== null && notes.pages.length > 0;
  if (!notes || (notes.records.length === 0 && !mayAdd))
    return <Unread from={list} what={PUBLIC_NOTES.title} />;
  const publish = async (values: FormData) => {
    await api.send("/publicnotes/create", { ...about, text: textOf(values, "text") });
    published.value++;
    notify(PUBLIC_NOTES.published);
    await list.refresh();
  };
  const isReplacing = notes.records.some(({ shown, eventid }) => shown && eventid > 0 === "eventid" in about);
  const more = notes.totalRecords - notes.records.length;
  return (
    <Section title={PUBLIC_NOTES.title}>
      <Unread from={list} what={PUBLIC_NOTES.title} />
      {notes.records.length === 0 && <Empty>{PUBLIC_NOTES.none}</Empty>}
      <ol class="notes">
        {notes.records.map((note) => (
          <Note key={note.id} note={note} mayWithdraw={mayWrite} onDone={() => list.refresh()} />
        ))}
      </ol>
      {more > 0 && <p class="hint">{PUBLIC_NOTES.more(more)}</p>}
      {mayAdd && (
        <Form
          work={work}
          name="public note"
          submit={isReplacing ? PUBLIC_NOTES.replace : PUBLIC_NOTES.publish}
          onSubmit={publish}
        >
          <TextArea
            key={published.value}
            label={PUBLIC_NOTES.text}
            name="text"
            rows={3}
            maxLength={MAX_TEXT}
            hint={PUBLIC_NOTES.hint(PUBLIC_NOTES.pages(notes.pages))}
            required
          />
        </Form>
      )}
    </Section>
  );
}
