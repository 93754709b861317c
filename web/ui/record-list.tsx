/** Shared by screens whose records are created, changed and deleted in dialogs. */
import type { ComponentChildren } from "preact";
import type { Resource } from "../state/polled-resource.ts";
import { Icon } from "./icon.tsx";
import { Empty, Loaded } from "./states.tsx";
import { type Column, SortedTable } from "./table.tsx";
import { UI } from "./ui.texts.ts";

interface RecordTableProps<T> {
  from: Resource<{ records: T[] }>;
  caption: string;
  columns: readonly Column<T>[];
  /** Key of the column by which they are sorted initially. Absent: they keep their order. */
  sortedBy?: string;
  /** Shown if there are no records. */
  none: ComponentChildren;
}

/** The records of a list, or why there are none. */
export function RecordTable<T extends { id: number }>(props: RecordTableProps<T>) {
  const { from, caption, columns, sortedBy, none } = props;
  return (
    <Loaded from={from}>
      {({ records }) =>
        records.length === 0 ? (
          <Empty>{none}</Empty>
        ) : (
          <SortedTable
            caption={caption}
            columns={columns}
            rows={records}
            rowKey={({ id }) => id}
            {...(sortedBy && { initial: { key: sortedBy, dir: "asc" } })}
          />
        )
      }
    </Loaded>
  );
}

/** The column with the actions on a record. */
export function controlColumn<T>(buttons: (row: T) => ComponentChildren): Column<T> {
  return {
    key: "control",
    label: UI.actions,
    class: "tight",
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

/** The button of a screen that creates a record. */
export function NewButton({ onClick, disabled = false, children }: ButtonProps) {
  return (
    <button type="button" class="primary" onClick={onClick} disabled={disabled}>
      <Icon name="plus" />
      {children}
    </button>
  );
}
