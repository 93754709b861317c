import type { ComponentChildren } from "preact";
import { useMuster } from "../state/muster.ts";
import { Field } from "./fields.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { textOf } from "./form-values.ts";
import { RECORDS } from "./records.texts.ts";
import { Check } from "./select.tsx";
import { UI } from "./ui.texts.ts";
import { useSaveUnlessChanged } from "./unchanged.ts";

interface RecordDialogProps {
  /** Path prefix of the operations of the resource: "/admin/channels". */
  path: string;
  /** Null for a new record. */
  record: { id: number; name: string; enabled?: boolean } | null;
  texts: {
    createTitle: string;
    /** Absent: "Edit NAME". */
    editTitle?: (name: string) => string;
    /** The verb of a new record. */
    create: string;
    /** Absent: the record cannot be disabled. */
    enabled?: string;
  };
  /** The greatest length of the name. */
  maxLength?: number;
  /** The arguments in the form besides the name and whether it is enabled. */
  args: (values: FormData) => object;
  onClose: (done: boolean) => void;
  /** More buttons, between the verb and cancel. */
  buttons?: ComponentChildren;
  /** Fields above the name. */
  first?: ComponentChildren;
  children: ComponentChildren;
}

/** The form of a record with a name, new or existing. */
export function RecordDialog(props: RecordDialogProps) {
  const { path, record, texts, maxLength = 255, onClose, buttons, first, children } = props;
  const { api } = useMuster();
  const saveChanges = useSaveUnlessChanged(`${path}/get`, record);
  const save = async (values: FormData) => {
    const args = {
      name: textOf(values, "name"),
      ...(texts.enabled && { enabled: values.has("enabled") }),
      ...props.args(values),
    };
    if (record) {
      const { id } = record;
      await saveChanges({ id }, Object.keys(args), () => api.send(`${path}/update`, { id, ...args }));
    } else await api.send(`${path}/create`, args);
  };
  return (
    <FormDialog
      title={record ? (texts.editTitle ?? RECORDS.editOf)(record.name) : texts.createTitle}
      record={record?.id}
      verb={record ? UI.save : texts.create}
      act={save}
      onClose={onClose}
      buttons={buttons}
    >
      {first}
      <Field
        label={UI.name}
        name="name"
        defaultValue={record?.name ?? ""}
        required
        maxLength={maxLength}
        autoFocus
      />
      {texts.enabled && <Check label={texts.enabled} name="enabled" checked={record?.enabled ?? true} />}
      {children}
    </FormDialog>
  );
}
