import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form, useWork } from "./form.tsx";

interface ConfirmProps {
  title: string;
  /** The verb on the button. */
  verb: string;
  danger?: boolean;
  /** Does it; the dialog stays and shows why when it fails. */
  act: () => Promise<unknown>;
  /** Called after success and on cancel alike. */
  onClose: (done: boolean) => void;
  children: ComponentChildren;
}

/** Asks before something is done, naming what it will touch. */
export function Confirm({ title, verb, danger = false, act, onClose, children }: ConfirmProps) {
  const work = useWork();
  const submit = async () => {
    await act();
    onClose(true);
  };
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <Form work={work} submit={verb} danger={danger} onSubmit={submit} onCancel={() => onClose(false)}>
        {children}
      </Form>
    </Dialog>
  );
}
