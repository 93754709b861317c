import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Field, Form, textOf, useWork } from "./form.tsx";

interface NameDialogProps {
  title: string;
  /** Label of the field. */
  label: string;
  /** The verb on the button. */
  verb: string;
  /** The name until now; absent: it gets its first one. */
  name?: string;
  /** Saves the name. If it fails, the dialog stays open and shows why. */
  act: (name: string) => Promise<unknown>;
  /** Called with true after success and with false on cancel. */
  onClose: (done: boolean) => void;
  /** Above the field. */
  children?: ComponentChildren;
}

/** Asks for the name of something new, or for another name. */
export function NameDialog({ title, label, verb, name = "", act, onClose, children }: NameDialogProps) {
  const work = useWork();
  const save = async (values: FormData) => {
    await act(textOf(values, "name"));
    onClose(true);
  };
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <Form work={work} submit={verb} onSubmit={save} onCancel={() => onClose(false)}>
        {children}
        <Field label={label} name="name" defaultValue={name} required maxLength={255} autoFocus />
      </Form>
    </Dialog>
  );
}
