import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useCreating, useDialog } from "../ui/use-dialog.ts";
import { type Names, scheduleText, scopeText } from "./descriptions.ts";
import { MAINTENANCE } from "./maintenance.texts.ts";
import { MaintenanceDialog } from "./maintenance-dialog.tsx";
import { MuteList } from "./mute-list.tsx";
import { useReferences } from "./references.ts";
import type { Maintenance, Records } from "./types.ts";

type OpenDialog = { name: "edit"; window: Maintenance } | { name: "delete"; window: Maintenance };

const REFRESH_SECONDS = 30;

/** Whether the window is open now, or when it opens next. */
function WindowState({ window }: { window: Maintenance }) {
  const { now } = useMuster();
  if (!window.enabled) return <span class="tag tag-first">{MAINTENANCE.off}</span>;
  if (window.active && window.until !== null)
    return (
      <span>
        <span class="tag tag-first">{MAINTENANCE.now}</span>{" "}
        <span class="time">{MAINTENANCE.until(formatMinuteNear(window.until, now.value))}</span>
      </span>
    );
  return window.next === null ? <span class="muted">{MAINTENANCE.over}</span> : <Time at={window.next} />;
}

const nameColumn = (names: Names): Column<Maintenance> => ({
  key: "name",
  label: MAINTENANCE.columns.name,
  header: true,
  class: "grow",
  order: (a, b) => a.name.localeCompare(b.name),
  cell: (window) => (
    <>
      {window.name}
      <p class="row-text">
        {scopeText(window.filter, names)} {scheduleText(window.schedule)}
      </p>
    </>
  ),
});

const controlColumn = (open: (dialog: OpenDialog) => () => void): Column<Maintenance> => ({
  key: "control",
  label: MAINTENANCE.columns.control,
  class: "tight",
  cell: (window) => (
    <span class="controls">
      <button
        type="button"
        class="small"
        onClick={open({ name: "edit", window })}
        aria-label={MAINTENANCE.editOf(window.name)}
      >
        {MAINTENANCE.edit}
      </button>
      <button
        type="button"
        class="small"
        onClick={open({ name: "delete", window })}
        aria-label={MAINTENANCE.deleteOf(window.name)}
      >
        {MAINTENANCE.delete}
      </button>
    </span>
  ),
});

function DeleteDialog({ window, onClose }: { window: Maintenance; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={MAINTENANCE.deleteTitle(window.name)}
      verb={MAINTENANCE.deleteVerb}
      danger
      act={() => api.post("/admin/maintenance/delete", { id: window.id })}
      onClose={onClose}
    >
      <p>{window.active ? MAINTENANCE.endsNow : MAINTENANCE.neverBegins}</p>
    </Confirm>
  );
}

/** Maintenance windows: times in which nobody is notified. */
export function MaintenanceWindows() {
  const references = useReferences();
  const windows = useResource<Records<Maintenance>>(
    "/admin/maintenance/list",
    {},
    { every: REFRESH_SECONDS },
  );
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => windows.refresh());
  const creating = useCreating(onClose);
  const columns: readonly Column<Maintenance>[] = [
    nameColumn(references.names),
    { key: "next", label: MAINTENANCE.columns.next, cell: (window) => <WindowState window={window} /> },
    controlColumn(open),
  ];
  return (
    <>
      <Loaded from={windows}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{MAINTENANCE.none}</Empty>
          ) : (
            <SortedTable
              caption={MAINTENANCE.caption}
              columns={columns}
              rows={records}
              rowKey={(window) => window.id}
              initial={{ key: "name", dir: "asc" }}
            />
          )
        }
      </Loaded>
      {references.loaded && <MuteList names={references.names} />}
      {creating.open && references.loaded && (
        <MaintenanceDialog window={null} references={references} onClose={creating.close} />
      )}
      {dialog?.name === "edit" && (
        <MaintenanceDialog window={dialog.window} references={references} onClose={onClose} />
      )}
      {dialog?.name === "delete" && <DeleteDialog window={dialog.window} onClose={onClose} />}
    </>
  );
}
