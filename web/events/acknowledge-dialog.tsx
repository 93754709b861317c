import { useId } from "preact/hooks";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Form, textOf, useWork } from "../ui/form.tsx";
import { chosenUntil, UntilChoice } from "../ui/until-choice.tsx";
import { isOutage } from "./problem-list.tsx";
import { PROBLEMS } from "./problems.texts.ts";

const MAX_NOTE = 4096;

interface AcknowledgeDialogProps {
  event: Pick<EventRecord, "id" | "hostname" | "servicename" | "event">;
  onClose: (done: boolean) => void;
}

/** Acknowledges a problem, with a note and an end: its reminders and escalation stop. */
export function AcknowledgeDialog({ event, onClose }: AcknowledgeDialogProps) {
  const { api, now } = useMuster();
  const work = useWork();
  const id = useId();
  const save = async (values: FormData) => {
    await api.post("/problems/acknowledge", {
      id: event.id,
      note: textOf(values, "note"),
      until: chosenUntil(values, now.peek()),
    });
    onClose(true);
  };
  return (
    <Dialog
      title={
        isOutage(event)
          ? PROBLEMS.acknowledgeHost(event.hostname)
          : PROBLEMS.acknowledgeTitle(event.servicename, event.hostname)
      }
      onClose={() => onClose(false)}
    >
      <Form work={work} submit={PROBLEMS.acknowledge} onSubmit={save} onCancel={() => onClose(false)}>
        <p class="muted">{PROBLEMS.acknowledgeHint}</p>
        <div class="field">
          <label for={id}>{PROBLEMS.note}</label>
          <textarea id={id} name="note" rows={2} maxLength={MAX_NOTE} autoFocus />
        </div>
        <UntilChoice
          legend={PROBLEMS.until}
          choices={["recovery", "hour", "hours", "tomorrow", "custom"]}
          now={now.peek()}
        />
      </Form>
    </Dialog>
  );
}
