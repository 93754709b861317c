import { useMemo } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { TextArea } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { chosenUntil, UntilChoice } from "../ui/until-choice.tsx";
import { PROBLEMS } from "./problems.texts.ts";

const MAX_NOTE = 4096;

interface AcknowledgeDialogProps {
  title: string;
  /** Path of the operation that acknowledges. */
  path: "/problems/acknowledge" | "/admin/health/acknowledge";
  /** What it acknowledges. */
  id: number;
  onClose: (done: boolean) => void;
}

/** Acknowledges a problem of a host or of Muster itself, with a note and an end: its reminders and escalation stop. */
export function AcknowledgeDialog({ title, path, id, onClose }: AcknowledgeDialogProps) {
  const { api, now } = useMuster();
  const opened = useMemo(() => now.peek(), []);
  const save = (values: FormData) =>
    api.post(path, {
      id,
      note: textOf(values, "note"),
      until: chosenUntil(values, now.peek(), opened),
    });
  return (
    <FormDialog title={title} record={id} verb={PROBLEMS.acknowledge} act={save} onClose={onClose}>
      <p class="muted">{PROBLEMS.acknowledgeHint}</p>
      <TextArea label={PROBLEMS.note} name="note" rows={2} maxLength={MAX_NOTE} autoFocus />
      <UntilChoice
        legend={PROBLEMS.until}
        choices={["recovery", "hour", "hours", "tomorrow", "custom"]}
        opened={opened}
      />
    </FormDialog>
  );
}
