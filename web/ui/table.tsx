import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { useRowWindow } from "./row-window.ts";

export interface Sort {
  key: string;
  dir: "asc" | "desc";
}

export interface Column<T> {
  key: string;
  label: string;
  /** The head has room only for the mark of the order. */
  hideLabel?: boolean;
  /** Shown as the head in place of the label. */
  head?: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  /** Ascending order of two rows. With it, the column can be sorted in the browser. */
  order?: (a: T, b: T) => number;
  /** The column can be sorted by `onSort`. */
  sortable?: boolean;
  /** Direction of the first click. */
  firstDir?: "asc" | "desc";
  /** The column holds the row headers. */
  header?: boolean;
  /** Classes of the column's cells: "number", "wide" (hidden on narrow screens), "grow", "tight". */
  class?: string;
}

interface TableProps<T> {
  /** For screen readers: a heading above the table says the same. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  /** The widths of the columns come from their classes, not from their content. */
  fixed?: boolean;
  /** Render all rows, because the table scrolls within a frame of its own. */
  whole?: boolean;
}

/** The head of a column that can be sorted by. */
export function SortHead<T>({
  column,
  sort,
  onSort,
}: {
  column: Pick<Column<T>, "key" | "label" | "class" | "firstDir" | "hideLabel">;
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}) {
  const active = sort?.key === column.key ? sort.dir : null;
  const next = active ? (active === "asc" ? "desc" : "asc") : (column.firstDir ?? "asc");
  return (
    <th
      scope="col"
      class={column.class}
      aria-sort={active === "asc" ? "ascending" : active === "desc" ? "descending" : "none"}
    >
      <button type="button" class="sort" onClick={() => onSort({ key: column.key, dir: next })}>
        <span class={column.hideLabel ? "sr-only" : undefined}>{column.label}</span>
        <span class={active ? "sort-mark" : "sort-mark sort-idle"}>
          <Icon name={active === "desc" ? "down" : "up"} />
        </span>
      </button>
    </th>
  );
}

/**
 * A row as high as the rows that are not rendered. It is in the same section as the rest: a section of its own would
 * move the next one, which browsers count as a layout shift of the whole table.
 */
export function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  // Preact sets the style through the DOM. The content security policy permits that, unlike a style attribute.
  return (
    <tr>
      <td aria-hidden="true" class="spacer" colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

/** A table of records. A long one renders only the visible rows. */
export function Table<T>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  onSort,
  whole = false,
  fixed = false,
}: TableProps<T>) {
  const view = useRowWindow(rows.length, whole);
  const { windowed } = view;
  return (
    <div class={fixed ? "table-frame table-frame-fixed" : "table-frame"}>
      <table
        class={`table${windowed ? " table-windowed" : ""}${fixed ? " table-fixed" : ""}`}
        aria-rowcount={windowed ? rows.length + 1 : undefined}
      >
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              onSort && (column.order || column.sortable) ? (
                <SortHead key={column.key} column={column} sort={sort} onSort={onSort} />
              ) : (
                <th key={column.key} scope="col" class={column.class}>
                  {column.head ?? column.label}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={view.start}>
          {windowed && <Spacer key="before" height={view.before} columns={columns.length} />}
          {rows.slice(view.from, view.to).map((row, i) => (
            <tr key={rowKey(row)} data-row aria-rowindex={windowed ? view.from + i + 2 : undefined}>
              {columns.map((column) =>
                column.header ? (
                  <th key={column.key} scope="row" class={column.class}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.key} class={column.class}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
          {windowed && <Spacer key="after" height={view.after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

/** The rows in the order of a column. Equal rows keep their order. */
export function sorted<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sort: Sort | undefined,
): readonly T[] {
  const order = columns.find((column) => column.key === sort?.key)?.order;
  if (!order || !sort) return rows;
  return rows.toSorted(sort.dir === "asc" ? order : (a, b) => order(b, a));
}

/** A table that sorts its rows in the browser. */
export function SortedTable<T>(props: Omit<TableProps<T>, "sort" | "onSort"> & { initial?: Sort }) {
  const sort = useSignal<Sort | undefined>(props.initial);
  const rows = sorted(props.rows, props.columns, sort.value);
  return (
    <Table
      {...props}
      rows={rows}
      sort={sort.value}
      onSort={(next) => {
        sort.value = next;
      }}
    />
  );
}
