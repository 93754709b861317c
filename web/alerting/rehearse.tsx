import { useSignal } from "@preact/signals";
import { useMuster, useNotify } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { RowButton } from "../ui/record-list.tsx";
import { Check } from "../ui/select.tsx";
import { REHEARSALS } from "./rehearsals.texts.ts";

const { fields } = REHEARSALS;
const MAX_WAIT = 1440;
const USUAL_WAIT = 30;

/** What is rehearsed: the id of a rule or a schedule, and its name for people. */
export interface RehearsalTarget {
  name: string;
  rule?: number;
  schedule?: number;
}

interface HowFieldsProps {
  /** Whether to ask about further steps: only rules have them. */
  hasSteps: boolean;
  escalate?: boolean;
  wait?: number;
}

/** The fields of how to rehearse: whether further steps follow, and how long to wait for an answer. */
export function HowFields({ hasSteps, escalate = false, wait = USUAL_WAIT }: HowFieldsProps) {
  return (
    <>
      {hasSteps && <Check label={fields.escalate} name="escalate" checked={escalate} />}
      <Field
        label={fields.wait}
        name="wait"
        type="number"
        min={1}
        max={MAX_WAIT}
        defaultValue={String(wait)}
        hint={fields.waitHint}
        required
      />
    </>
  );
}

/** The values of these fields, as arguments. */
export function howOf(values: FormData) {
  return { escalate: values.has("escalate"), wait: Number(textOf(values, "wait")) };
}

interface RehearseDialogProps {
  target: RehearsalTarget;
  onClose: () => void;
}

/** Starts a rehearsal, and opens its page. */
function RehearseDialog({ target: { name, ...subject }, onClose }: RehearseDialogProps) {
  const { api, router } = useMuster();
  const notify = useNotify();
  const start = async (values: FormData) => {
    const { id } = await api.send<{ id: number }>("/admin/rehearsals/start", {
      ...subject,
      ...howOf(values),
    });
    notify(REHEARSALS.started);
    router.go(`/rehearsals/${id}`);
  };
  return (
    <FormDialog title={REHEARSALS.rehearseTitle(name)} verb={REHEARSALS.start} act={start} onClose={onClose}>
      <p>{REHEARSALS.rehearseHint}</p>
      <HowFields hasSteps={subject.rule !== undefined} />
    </FormDialog>
  );
}

/** A button in the row of a rule or a schedule. */
export function RehearseButton({
  target,
  text = REHEARSALS.rehearse,
}: {
  target: RehearsalTarget;
  text?: string;
}) {
  const open = useSignal(false);
  const toggle = (isOpen: boolean) => () => {
    open.value = isOpen;
  };
  return (
    <>
      <RowButton label={REHEARSALS.rehearseOf(target.name)} onClick={toggle(true)}>
        {text}
      </RowButton>
      {open.value && <RehearseDialog target={target} onClose={toggle(false)} />}
    </>
  );
}
