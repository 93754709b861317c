import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { controlColumn, RecordTable, RowButton } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useCreating, useDialog } from "../ui/use-dialog.ts";
import { type Names, scheduleText, scopeText } from "./descriptions.ts";
import { MAINTENANCE } from "./maintenance.texts.ts";
import { MaintenanceDialog } from "./maintenance-dialog.tsx";
import { MuteList } from "./mute-list.tsx";
import { useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";
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
        <span>{MAINTENANCE.until(formatMinuteNear(window.until, now.value))}</span>
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

const controls = (open: (dialog: OpenDialog) => () => void) => (window: Maintenance) => (
  <>
    <RowButton label={MAINTENANCE.editOf(window.name)} onClick={open({ name: "edit", window })}>
      {MAINTENANCE.edit}
    </RowButton>
    <RowButton label={MAINTENANCE.deleteOf(window.name)} onClick={open({ name: "delete", window })}>
      {MAINTENANCE.delete}
    </RowButton>
  </>
);

/** Maintenance windows, during which notifications are paused. */
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
    controlColumn(controls(open)),
  ];
  return (
    <>
      <Referring to={references}>
        <RecordTable
          from={windows}
          caption={MAINTENANCE.caption}
          columns={columns}
          sortedBy="name"
          none={MAINTENANCE.none}
        />
        <MuteList names={references.names} />
      </Referring>
      {creating.open && references.loaded && (
        <MaintenanceDialog window={null} references={references} onClose={creating.close} />
      )}
      {dialog?.name === "edit" && (
        <MaintenanceDialog window={dialog.window} references={references} onClose={onClose} />
      )}
      {dialog?.name === "delete" && (
        <ConfirmDelete
          operation="/admin/maintenance/delete"
          record={dialog.window}
          texts={MAINTENANCE}
          onClose={onClose}
        >
          <p>{dialog.window.active ? MAINTENANCE.endsNow : MAINTENANCE.neverBegins}</p>
        </ConfirmDelete>
      )}
    </>
  );
}
