import type { ComponentChildren } from "preact";
import { useMuster } from "../state/muster.ts";
import { Dialog } from "./dialog.tsx";
import { Form, useWork } from "./form.tsx";

interface ConfirmProps {
  title: string;
  /** The verb on the button. */
  verb: string;
  danger?: boolean;
  /** Performs the action. If it fails, the dialog stays open and shows why. */
  act: () => Promise<unknown>;
  /** Called with true after success and with false on cancel. */
  onClose: (done: boolean) => void;
  children: ComponentChildren;
}

/** Asks for confirmation. The children name what the action affects. */
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

interface ConfirmDeleteProps extends Pick<ConfirmProps, "onClose" | "children"> {
  /** The operation that deletes it. */
  operation: string;
  record: { id: number; name: string };
  texts: { deleteTitle: (name: string) => string; deleteVerb: string };
}

/** Asks before a record is deleted. The children say what is lost with it. */
export function ConfirmDelete({ operation, record, texts, onClose, children }: ConfirmDeleteProps) {
  const { api } = useMuster();
  const { id, name } = record;
  return (
    <Confirm
      title={texts.deleteTitle(name)}
      verb={texts.deleteVerb}
      danger
      act={() => api.post(operation, { id })}
      onClose={onClose}
    >
      {children}
    </Confirm>
  );
}
