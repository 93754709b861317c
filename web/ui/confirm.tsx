import type { ComponentChildren } from "preact";
import { useMuster } from "../state/muster.ts";
import { FormDialog } from "./form-dialog.tsx";
import { RECORDS } from "./records.texts.ts";

interface ConfirmDeleteProps {
  /** The operation that deletes the record. */
  operation: string;
  record: { id: number; name: string };
  texts: { deleteTitle?: (name: string) => string; deleteVerb: string };
  onClose: (done: boolean) => void;
  children: ComponentChildren;
}

/** Asks for confirmation before deleting a record. The children say what is lost with it. */
export function ConfirmDelete({ operation, record, texts, onClose, children }: ConfirmDeleteProps) {
  const { api } = useMuster();
  const { id, name } = record;
  return (
    <FormDialog
      title={(texts.deleteTitle ?? RECORDS.deleteTitle)(name)}
      verb={texts.deleteVerb}
      danger
      act={() => api.post(operation, { id })}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
