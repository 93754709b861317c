/** A list of saved objects with a name and an address, with controls to save, rename and delete them. */
import type { ComponentChildren } from "preact";
import { useMuster } from "../state/muster.ts";
import { ConfirmDelete } from "./confirm.tsx";
import { NameDialog, RenameDialog } from "./name-dialog.tsx";
import { savedOrDeleted, useDialog } from "./use-dialog.ts";

interface Saved {
  id: number;
  name: string;
  manage: boolean;
}

interface SavedListTexts {
  list: string;
  save: string;
  saveVerb: string;
  saveHint?: string;
  name: string;
  rename: string;
  renameOf: (name: string) => string;
  delete: string;
  deleteVerb: string;
  deleteHint: string;
}

interface SavedListProps<T extends Saved> {
  /** Path prefix of the operations of the resource: "/filters". */
  path: string;
  records: readonly T[];
  addressOf: (record: T) => string;
  /** The current address. */
  current?: string;
  /** The content of a new object besides its name; null if nothing can be saved. */
  content: object | null;
  texts: SavedListTexts;
  /** Called after a change. */
  onChange: () => Promise<void>;
  /** More buttons of a record. */
  controls?: (record: T) => ComponentChildren;
}

/** A button in the row of a saved object that names the object to screen readers. */
export function SavedButton(props: { text: string; name: string; onClick: () => void }) {
  return (
    <button type="button" class="small quiet" onClick={props.onClick}>
      {props.text}
      <span class="sr-only"> {props.name}</span>
    </button>
  );
}

/** Whether the filters of the page contain text that is not applied. The browser then says so at its input. */
function hasUnappliedFilter(): boolean {
  const input = document.querySelector<HTMLInputElement>("main search input:invalid");
  return input !== null && !input.reportValidity();
}

/**
 * Links to saved objects, with controls for those that the user may change, and a button that saves a new
 * one.
 */
export function SavedList<T extends Saved>(props: SavedListProps<T>) {
  const { path, records, addressOf, current, content, texts, controls } = props;
  const { api, session } = useMuster();
  const { dialog, open, onClose } = useDialog<{ name: "save" } | { name: "rename" | "delete"; record: T }>(
    props.onChange,
    savedOrDeleted,
  );
  return (
    <div class="saved-list">
      {records.length > 0 && (
        <ul aria-label={texts.list}>
          {records.map((record) => (
            <li key={record.id}>
              <a href={addressOf(record)} aria-current={addressOf(record) === current ? "page" : undefined}>
                {record.name}
              </a>
              {record.manage && !session.isPast.value && (
                <span class="controls">
                  <SavedButton
                    text={texts.rename}
                    name={record.name}
                    onClick={open({ name: "rename", record })}
                  />
                  {controls?.(record)}
                  <SavedButton
                    text={texts.delete}
                    name={record.name}
                    onClick={open({ name: "delete", record })}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {content && (
        <button type="button" class="small" onClick={() => hasUnappliedFilter() || open({ name: "save" })()}>
          {texts.save}
        </button>
      )}
      {dialog?.name === "save" && (
        <NameDialog
          title={texts.save}
          label={texts.name}
          verb={texts.saveVerb}
          act={(name) => api.send(`${path}/create`, { name, ...content })}
          onClose={onClose}
        >
          {texts.saveHint && <p class="muted">{texts.saveHint}</p>}
        </NameDialog>
      )}
      {dialog?.name === "rename" && (
        <RenameDialog
          title={texts.renameOf(dialog.record.name)}
          label={texts.name}
          verb={texts.rename}
          record={dialog.record}
          operation={`${path}/list`}
          act={(name) => api.send(`${path}/update`, { id: dialog.record.id, name })}
          onClose={onClose}
        />
      )}
      {dialog?.name === "delete" && (
        <ConfirmDelete operation={`${path}/delete`} record={dialog.record} texts={texts} onClose={onClose}>
          <p>{texts.deleteHint}</p>
        </ConfirmDelete>
      )}
    </div>
  );
}
