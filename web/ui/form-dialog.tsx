import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { useWork } from "./work.tsx";

interface FormDialogProps {
  title: string;
  /** Tells the record that it changes from others that have the same title. */
  record?: string | number | undefined;
  /** The verb on the button. */
  verb: string;
  /** The action cannot be undone, which the button shows. */
  danger?: boolean;
  /** Performs the action. If it fails, the dialog stays open and shows why. */
  act: (values: FormData) => Promise<unknown>;
  /** Called with true after success and with false on cancel. */
  onClose: (done: boolean) => void;
  /** More buttons, between the verb and cancel. */
  buttons?: ComponentChildren;
  /** The fields. A dialog without fields asks for confirmation; its text then names what the action affects. */
  children: ComponentChildren;
}

/** A dialog for one action, with the fields that it needs. */
export function FormDialog(props: FormDialogProps) {
  const { title, record, verb, danger = false, act, onClose, buttons, children } = props;
  const work = useWork();
  const submit = async (values: FormData) => {
    await act(values);
    onClose(true);
  };
  const cancel = () => onClose(false);
  return (
    <Dialog title={title} record={record} onClose={cancel}>
      <Form work={work} submit={verb} danger={danger} onSubmit={submit} onCancel={cancel} buttons={buttons}>
        {children}
      </Form>
    </Dialog>
  );
}
