import { useId, useMemo } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Form, textOf, useWork } from "../ui/form.tsx";
import { chosenUntil, UntilChoice } from "../ui/until-choice.tsx";
import { PROBLEMS } from "./problems.texts.ts";

const MAX_NOTE = 4096;

interface AcknowledgeDialogProps {
  title: string;
  /** Of the operation that acknowledges. */
  path: "/problems/acknowledge" | "/admin/health/acknowledge";
  /** What it acknowledges. */
  id: number;
  onClose: (done: boolean) => void;
}

/** Acknowledges a problem of a host or of Muster itself, with a note and an end: its reminders and escalation stop. */
export function AcknowledgeDialog({ title, path, id, onClose }: AcknowledgeDialogProps) {
  const { api, now } = useMuster();
  const opened = useMemo(() => now.peek(), []);
  const work = useWork();
  const noteId = useId();
  const save = async (values: FormData) => {
    await api.post(path, {
      id,
      note: textOf(values, "note"),
      until: chosenUntil(values, now.peek(), opened),
    });
    onClose(true);
  };
  return (
    <Dialog title={title} record={id} onClose={() => onClose(false)}>
      <Form work={work} submit={PROBLEMS.acknowledge} onSubmit={save} onCancel={() => onClose(false)}>
        <p class="muted">{PROBLEMS.acknowledgeHint}</p>
        <div class="field">
          <label for={noteId}>{PROBLEMS.note}</label>
          <textarea id={noteId} name="note" rows={2} maxLength={MAX_NOTE} autoFocus />
        </div>
        <UntilChoice
          legend={PROBLEMS.until}
          choices={["recovery", "hour", "hours", "tomorrow", "custom"]}
          opened={opened}
        />
      </Form>
    </Dialog>
  );
}
