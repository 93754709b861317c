import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { RecordList } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { type Names, scheduleText, scopeText } from "./descriptions.ts";
import { MAINTENANCE } from "./maintenance.texts.ts";
import { MaintenanceDialog } from "./maintenance-dialog.tsx";
import { MuteList } from "./mute-list.tsx";
import { useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";
import type { Maintenance, Records } from "./types.ts";

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

/** Maintenance windows, during which notifications are paused. */
export function MaintenanceWindows() {
  const { session } = useMuster();
  const references = useReferences();
  const isBound = session.groupsOf("manage") !== null;
  const windows = useResource<Records<Maintenance>>(
    "/admin/maintenance/list",
    {},
    { every: REFRESH_SECONDS },
  );
  const columns: readonly Column<Maintenance>[] = [
    nameColumn(references.names),
    { key: "next", label: MAINTENANCE.columns.next, cell: (window) => <WindowState window={window} /> },
  ];
  return (
    <Referring to={references}>
      <RecordList
        path="/admin/maintenance"
        from={windows}
        caption={MAINTENANCE.caption}
        columns={columns}
        none={isBound ? MAINTENANCE.noneOfManager : MAINTENANCE.none}
        form={(window, onClose) => (
          <MaintenanceDialog window={window} references={references} onClose={onClose} />
        )}
        texts={MAINTENANCE}
        deleteHint={({ active }) => (active ? MAINTENANCE.endsNow : MAINTENANCE.neverBegins)}
      />
      {isBound && <p class="hint">{MAINTENANCE.onlyOwn}</p>}
      <MuteList names={references.names} />
    </Referring>
  );
}
