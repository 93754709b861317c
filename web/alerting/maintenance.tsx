import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsking } from "../ui/open-dialog.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useKnown } from "./known.ts";
import { MaintenanceDialog } from "./maintenance-dialog.tsx";
import type { Maintenance, Records } from "./types.ts";
import { placeText, scheduleText } from "./words.ts";

type Asking =
  | { what: "create" }
  | { what: "edit"; window: Maintenance }
  | { what: "delete"; window: Maintenance };

const REFRESH_SECONDS = 30;

function Standing({ window }: { window: Maintenance }) {
  if (!window.enabled) return <span class="tag tag-first">off</span>;
  if (window.active && window.until !== null)
    return (
      <span>
        <span class="tag tag-first">now</span> ends <Time at={window.until} />
      </span>
    );
  return window.next === null ? <span class="muted">over</span> : <Time at={window.next} />;
}

/** Times in which nobody is told. */
export function MaintenanceWindows() {
  const { api } = useMuster();
  const known = useKnown();
  const windows = useResource<Records<Maintenance>>(
    "/admin/maintenance/list",
    {},
    { every: REFRESH_SECONDS },
  );
  const { open, ask, onClose } = useAsking<Asking>(() => windows.refresh());
  const columns: readonly Column<Maintenance>[] = [
    {
      key: "name",
      label: "Maintenance",
      header: true,
      class: "grow",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: (window) => (
        <>
          {window.name}
          <p class="row-text">
            {placeText(window.filter, known.names)}: {scheduleText(window.schedule)}
          </p>
        </>
      ),
    },
    { key: "next", label: "Next", cell: (window) => <Standing window={window} /> },
    {
      key: "control",
      label: "Actions",
      class: "tight",
      cell: (window) => (
        <span class="controls">
          <button type="button" class="small" onClick={ask({ what: "edit", window })}>
            Change<span class="unseen"> {window.name}</span>
          </button>
          <button type="button" class="small" onClick={ask({ what: "delete", window })}>
            Delete<span class="unseen"> {window.name}</span>
          </button>
        </span>
      ),
    },
  ];
  return (
    <>
      <div class="toolbar">
        <button type="button" onClick={ask({ what: "create" })} disabled={!known.loaded}>
          <Icon name="plus" />
          New maintenance
        </button>
      </div>
      <Loaded from={windows}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>
              No maintenance is planned. During it events are kept as always, but nobody is told of them; what
              still fails at its end is told then.
            </Empty>
          ) : (
            <SortedTable
              caption="Maintenance"
              columns={columns}
              rows={records}
              rowKey={(window) => window.id}
              initial={{ key: "name", dir: "asc" }}
            />
          )
        }
      </Loaded>
      {open?.what === "create" && <MaintenanceDialog window={null} known={known} onClose={onClose} />}
      {open?.what === "edit" && <MaintenanceDialog window={open.window} known={known} onClose={onClose} />}
      {open?.what === "delete" && (
        <Confirm
          title={`Delete ${open.window.name}?`}
          verb="Delete maintenance"
          danger
          act={() => api.post("/admin/maintenance/delete", { id: open.window.id })}
          onClose={onClose}
        >
          <p>
            {open.window.active ? "It ends at once: what fails is told again." : "It will not take place."}
          </p>
        </Confirm>
      )}
    </>
  );
}
