import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { Pager } from "./pager.tsx";
import { Empty, Loaded } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

interface PagedTableProps<T> {
  from: Resource<{ totalRecords: number; records: T[] }>;
  /** Index of the first record of the page. */
  start: number;
  /** Records of a page. */
  size: number;
  caption: string;
  columns: readonly Column<T>[];
  /** Shown if there are no records. */
  none: ComponentChildren;
}

/** A page of a list, or why the list is empty. The argument `startindex` of the address chooses the page. */
export function PagedTable<T extends { id: number }>(props: PagedTableProps<T>) {
  const { from, start, size, caption, columns, none } = props;
  const { router } = useMuster();
  const frame = useRef<HTMLDivElement>(null);
  return (
    <Loaded from={from}>
      {({ records, totalRecords }) =>
        totalRecords === 0 ? (
          <Empty>{none}</Empty>
        ) : (
          <div ref={frame}>
            <Table caption={caption} columns={columns} rows={records} rowKey={({ id }) => id} />
            <Pager
              start={start}
              size={size}
              total={totalRecords}
              onGo={(next) => {
                router.setQuery({ startindex: String(next) });
                frame.current?.scrollIntoView();
              }}
            />
          </div>
        )
      }
    </Loaded>
  );
}
