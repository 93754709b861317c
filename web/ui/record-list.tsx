/** Shared by screens whose records are created, changed and deleted in dialogs. */
import type { ComponentChildren } from "preact";
import type { Resource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "./confirm.tsx";
import { Icon } from "./icon.tsx";
import { RECORDS } from "./records.texts.ts";
import { Empty, Loaded } from "./states.tsx";
import { type Column, SortedTable } from "./table.tsx";
import { UI } from "./ui.texts.ts";
import { useCreating, useDialog } from "./use-dialog.ts";

interface RecordsProps<T> {
  records: readonly T[];
  caption: string;
  columns: readonly Column<T>[];
  /** Key of the column by which they are sorted initially. Absent: they keep their order. */
  sortedBy?: string | undefined;
  /** Shown if there are no records. */
  none: ComponentChildren;
}

/** Records, or why there are none. */
export function Records<T extends { id: number }>(props: RecordsProps<T>) {
  const { records, caption, columns, sortedBy, none } = props;
  if (records.length === 0) return <Empty>{none}</Empty>;
  return (
    <SortedTable
      caption={caption}
      columns={columns}
      rows={records}
      rowKey={({ id }) => id}
      {...(sortedBy && { initial: { key: sortedBy, dir: "asc" } })}
    />
  );
}

interface RecordTableProps<T> extends Omit<RecordsProps<T>, "records"> {
  from: Resource<{ records: T[] }>;
}

/** The records of a list, or why there are none. */
export function RecordTable<T extends { id: number }>({ from, ...props }: RecordTableProps<T>) {
  return <Loaded from={from}>{({ records }) => <Records {...props} records={records} />}</Loaded>;
}

/** The column with the actions on a record. */
export function controlColumn<T>(buttons: (row: T) => ComponentChildren): Column<T> {
  return {
    key: "control",
    label: RECORDS.actions,
    class: "tight control-column",
    cell: (row) => <span class="controls">{buttons(row)}</span>,
  };
}

interface ButtonProps {
  onClick: () => void;
  disabled?: boolean;
  children: ComponentChildren;
}

/** A button in the row of a record. @param label for screen readers: it names the record */
export function RowButton({ label, onClick, disabled = false, children }: ButtonProps & { label: string }) {
  return (
    <button type="button" class="small" aria-label={label} onClick={onClick} disabled={disabled}>
      {children}
    </button>
  );
}

interface RecordButtonProps {
  name: string;
  onClick: () => void;
}

/** The button that opens a record. Screen readers read its name, too, since every row has such a button. */
export function EditButton({ name, onClick }: RecordButtonProps) {
  return (
    <RowButton label={RECORDS.editOf(name)} onClick={onClick}>
      {RECORDS.edit}
    </RowButton>
  );
}

/** The button that asks whether to delete a record. Screen readers read its name, too. */
export function DeleteButton({ name, onClick }: RecordButtonProps) {
  return (
    <RowButton label={RECORDS.deleteOf(name)} onClick={onClick}>
      {RECORDS.delete}
    </RowButton>
  );
}

interface RecordListProps<T> extends Omit<RecordTableProps<T>, "sortedBy"> {
  /** Path prefix of the operations of the resource: "/admin/channels". */
  path: string;
  /** Its columns except that of the actions. */
  columns: readonly Column<T>[];
  /** The dialog that changes a record; null: that creates one. */
  form: (record: T | null, onClose: (done: boolean) => void) => ComponentChildren;
  texts: { deleteVerb: string };
  /** What is lost with a record. */
  deleteHint: (record: T) => string;
  /** The buttons of a record before "Delete". */
  buttons?: (record: T, edit: () => void) => ComponentChildren;
}

/** The records of a list, sorted by name, with the dialogs that create, change and delete them. */
export function RecordList<T extends { id: number; name: string }>(props: RecordListProps<T>) {
  const { from, path, columns, form, texts, deleteHint, ...table } = props;
  const { buttons = ({ name }, edit) => <EditButton name={name} onClick={edit} /> } = props;
  const editing = useDialog<T>(() => from.refresh());
  const deleting = useDialog<T>(() => from.refresh(), UI.deleted);
  const creating = useCreating(editing.onClose);
  const control = controlColumn<T>((record) => (
    <>
      {buttons(record, editing.open(record))}
      <DeleteButton name={record.name} onClick={deleting.open(record)} />
    </>
  ));
  return (
    <>
      <RecordTable {...table} from={from} columns={[...columns, control]} sortedBy="name" />
      {creating.open && form(null, creating.close)}
      {editing.dialog && form(editing.dialog, editing.onClose)}
      {deleting.dialog && (
        <ConfirmDelete
          operation={`${path}/delete`}
          record={deleting.dialog}
          texts={texts}
          onClose={deleting.onClose}
        >
          <p>{deleteHint(deleting.dialog)}</p>
        </ConfirmDelete>
      )}
    </>
  );
}

/** The button of a screen that creates a record. */
export function NewButton({ onClick, disabled = false, children }: ButtonProps) {
  return (
    <button type="button" class="primary" onClick={onClick} disabled={disabled}>
      <Icon name="plus" />
      {children}
    </button>
  );
}
