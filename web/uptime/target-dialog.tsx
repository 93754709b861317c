import { useMuster } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { decimalOf } from "../ui/form-values.ts";
import { UPTIME } from "./uptime.texts.ts";

interface TargetDialogProps {
  group: { id: number; name: string };
  /** Percent; null: none. */
  target: number | null;
  /** Called with true after success and with false on cancel. */
  onClose: (done: boolean) => void;
}

/** Sets the target uptime of a group. */
export function TargetDialog({ group, target, onClose }: TargetDialogProps) {
  const { api } = useMuster();
  const save = (values: FormData) =>
    api.send("/admin/groups/target", { id: group.id, target: decimalOf(values, "target") });
  return (
    <FormDialog title={UPTIME.targetOf(group.name)} verb={UPTIME.save} act={save} onClose={onClose}>
      <Field
        label={UPTIME.targetField}
        name="target"
        defaultValue={String(target ?? "")}
        hint={UPTIME.targetHint}
        placeholder="99.9"
        maxLength={20}
        autoFocus
      />
    </FormDialog>
  );
}
