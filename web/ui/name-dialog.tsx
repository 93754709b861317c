import type { ComponentChildren } from "preact";
import { Field } from "./fields.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { textOf } from "./form-values.ts";
import { useSaveUnlessChanged } from "./unchanged.ts";

interface NameDialogProps {
  title: string;
  /** Label of the field. */
  label: string;
  /** The verb on the button. */
  verb: string;
  /** The current name; absent for a new object. */
  name?: string;
  /** Saves the name. If it fails, the dialog stays open and shows why. */
  act: (name: string) => Promise<unknown>;
  /** Called with true after success and with false on cancel. */
  onClose: (done: boolean) => void;
  /** Above the field. */
  children?: ComponentChildren;
}

interface Named {
  id: number;
  name: string;
}

interface RenameDialogProps extends Omit<NameDialogProps, "name"> {
  record: Named;
  /** Lists the records: "/filters/list". */
  operation: string;
}

/** Asks for a new name. */
export function RenameDialog({ record, operation, act, ...props }: RenameDialogProps) {
  const saveChanges = useSaveUnlessChanged(
    operation,
    record,
    ({ records, groups }: { records?: readonly Named[]; groups?: readonly Named[] }) =>
      (records ?? groups)?.find(({ id }) => id === record.id),
  );
  const { name } = record;
  return <NameDialog {...props} name={name} act={(name) => saveChanges({}, ["name"], () => act(name))} />;
}

/** Asks for the name of a new object, or for a new name. */
export function NameDialog({ title, label, verb, name = "", act, onClose, children }: NameDialogProps) {
  const save = async (values: FormData) => {
    await act(textOf(values, "name"));
  };
  return (
    <FormDialog title={title} verb={verb} act={save} onClose={onClose}>
      {children}
      <Field label={label} name="name" defaultValue={name} required maxLength={255} autoFocus />
    </FormDialog>
  );
}
